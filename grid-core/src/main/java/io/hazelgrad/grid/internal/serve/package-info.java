/**
 * The callee's side of calls: takes requests in, runs functions, and sends one reply for each
 * request. Start at {@link io.hazelgrad.grid.internal.serve.Callee}.
 */
@NullMarked
package io.hazelgrad.grid.internal.serve;

import org.jspecify.annotations.NullMarked;
