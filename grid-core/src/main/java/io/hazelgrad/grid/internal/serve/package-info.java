/**
 * The callee's side of calls: takes requests in, runs functions, and sends one reply for each
 * request. Start at {@link io.hazelgrad.grid.internal.serve.Callee}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.serve;
