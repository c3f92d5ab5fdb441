package io.hazelgrad.autograd.internal.pass;

/**
 * The failure of a part of a pass on a member that relays for a client no more. The client has
 * another relay or has gone, so another attempt at the pass may succeed.
 */
public final class RelayLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RelayLostException(String message) {
    super(message, null, false, false);
  }
}
