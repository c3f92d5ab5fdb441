package io.hazelgrad.grid.spi;

import org.jspecify.annotations.Nullable;

/** A message on its sender's side. */
public final class Outgoing extends Message {
  /** How a caller calls. */
  public enum Mode {
    /** It waits for the result. */
    SYNC,
    /** It gets a future. */
    ASYNC,
    /** The result stays with the callee. */
    REMOTE
  }

  private final @Nullable Incoming inReplyTo;
  private Mode mode = Mode.ASYNC;

  /** Makes a request. */
  public Outgoing(CallInfo call) {
    super(call, true);
    inReplyTo = null;
  }

  /** Makes the reply to a request. */
  public Outgoing(Incoming request) {
    super(request.call(), false);
    inReplyTo = request;
  }

  /** Returns the request that this replies to, or null if this is a request. */
  public @Nullable Incoming inReplyTo() {
    return inReplyTo;
  }

  /** Returns how the caller calls; {@link Mode#ASYNC} unless it was set. */
  public Mode mode() {
    return mode;
  }

  /** Says how the caller calls. */
  public void mode(Mode how) {
    mode = how;
  }
}
