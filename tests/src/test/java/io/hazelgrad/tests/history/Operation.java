package io.hazelgrad.tests.history;

/**
 * Operation on one object with the time of its invocation and of its return, by one clock.
 *
 * @param call the operation and its result, as a {@link Model} reads it
 * @param returned the time of the return, or {@link #NEVER} if it is not known whether and when the
 *     operation took effect
 */
public record Operation<C>(C call, long invoked, long returned) {
  /** The time of a return that nobody saw. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Checks the order of the times. */
  public Operation {
    if (returned < invoked) {
      throw new IllegalArgumentException(call + " returned before it was invoked");
    }
  }

  boolean isPending() {
    return returned == NEVER;
  }
}
