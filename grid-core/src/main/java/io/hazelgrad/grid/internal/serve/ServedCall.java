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
    CallInfo call, long receivedNanos, Place place, long thread, CallPool lane) {
  /** The places where a call may be. */
  public enum Place {
    /** It waits for a permit. */
    QUEUED,
    /** It waits until its arguments are confirmed. */
    ARRIVING,
    /** A thread works for it. */
    RUNNING,
    /** It waits for the stage that its function returned. */
    SETTLING,
    /** It waits until its result is confirmed. */
    READYING
  }
}
