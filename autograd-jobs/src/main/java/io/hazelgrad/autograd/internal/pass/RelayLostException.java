package io.hazelgrad.autograd.internal.pass;

/**
 * Says that a member does not relay for a client of a pass any more: the client has another relay,
 * or has gone. Another attempt finds out which, and may succeed.
 */
public final class RelayLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RelayLostException(String message) {
    super(message, null, false, false);
  }
}
