package io.hazelgrad.grid.spi;

import org.jspecify.annotations.Nullable;

/** A message on its sender's side. */
public final class Outgoing extends Message {
  /** The caller's way to call. */
  public enum Mode {
    /** It waits for the result. */
    SYNC,
    /** It gets a future. */
    ASYNC,
    /** The result stays with the callee. */
    REMOTE
  }

  private final @Nullable Incoming inReplyTo;
  private final long madeNanos = System.nanoTime();
  private Mode mode = Mode.ASYNC;
  private long answerBytes;

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

  /** Returns what it is for; creations are of kinds of their own. */
  public MessageKind kind() {
    MessageKind kind = call().kind();
    return mode == Mode.REMOTE ? kind.creation() : kind;
  }

  /** Returns when it was made, in {@link System#nanoTime()} terms. */
  public long madeNanos() {
    return madeNanos;
  }

  /** Returns the size of the reply on the wire, zero before it came. */
  public long answerBytes() {
    return answerBytes;
  }

  /** Sets the size of the reply on the wire. For the grid. */
  public void answerBytes(long count) {
    answerBytes = count;
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
