package io.hazelgrad.grid.spi;

import org.jspecify.annotations.Nullable;

/** A message on its receiver's side. */
public final class Incoming extends Message {
  private final @Nullable Outgoing request;
  private final long deadlineNanos;
  private final long receivedNanos = System.nanoTime();

  /** Makes a request that arrives now; its deadline is MAX_VALUE for none. */
  public Incoming(CallInfo call, long deadlineNanos) {
    super(call, true);
    this.request = null;
    this.deadlineNanos = deadlineNanos;
  }

  /** Makes the reply to a request. */
  public Incoming(Outgoing request) {
    super(request.call(), false);
    this.request = request;
    this.deadlineNanos = Long.MAX_VALUE;
  }

  /** Returns the request that this answers, or null if this is a request. */
  public @Nullable Outgoing request() {
    return request;
  }

  /** Returns when it reached this worker, in {@link System#nanoTime()} terms. */
  public long receivedNanos() {
    return receivedNanos;
  }

  /** Returns the nanoseconds until the call's deadline, {@link Long#MAX_VALUE} if it has none. */
  public long remainingNanos() {
    return deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
  }
}
