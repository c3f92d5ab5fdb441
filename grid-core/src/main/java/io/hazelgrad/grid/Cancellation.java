package io.hazelgrad.grid;

/** The effect of cancelling a call on its callee, see {@link Rpc#cancel}. */
public enum Cancellation {
  /** The function had not been started, and never will be. */
  NEVER_RAN,
  /** The function was running: its thread was interrupted, or its stage was cancelled. */
  INTERRUPTED,
  /** The call had ended before: its reply was under way, or came earlier. */
  HAD_ENDED
}
