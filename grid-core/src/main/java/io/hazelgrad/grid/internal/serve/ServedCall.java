package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.spi.CallInfo;

/**
 * A call that is here and has not ended.
 *
 * @param receivedNanos when it came, as {@link System#nanoTime}
 * @param thread the id of the thread that runs its function; 0 if none does
 * @param lane the pool whose permits it needs
 */
public record ServedCall(
    CallInfo call, long receivedNanos, CallState.Phase phase, long thread, CallPool lane) {}
