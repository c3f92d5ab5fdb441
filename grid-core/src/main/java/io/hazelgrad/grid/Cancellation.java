package io.hazelgrad.grid;

/** The effect of cancelling a call on its callee, see {@link Rpc#cancel}. */
public enum Cancellation {
  /** The function had not been started, and never will be. */
  NEVER_RAN,
  /**
   * The function was running: its thread was interrupted, or the stage that it returned was
   * cancelled. What it does with that is its own affair.
   */
  INTERRUPTED,
  /** The call had ended before: its reply was under way, or came earlier. */
  HAD_ENDED
}
