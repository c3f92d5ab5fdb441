package io.hazelgrad.grid.spi;

import org.jspecify.annotations.Nullable;

/** A message on its sender's side. */
public final class Outgoing extends Message {
  private final @Nullable Incoming inReplyTo;

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
}
