/**
 * The caller's side of calls: writes requests, sends them through a {@link
 * io.hazelgrad.grid.internal.call.Transport}, and completes each caller's future exactly once.
 * Start at {@link io.hazelgrad.grid.internal.call.Caller}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.call;
