package io.hazelgrad.grid.internal.call;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.serve.ServerCall;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.RemoteErrorCodec;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call on its caller. Its future is completed once: by the reply, the deadline, the loss of the
 * callee, whoever completes it from outside ({@code cancel()}, {@code orTimeout()}), or the closing
 * of the grid.
 *
 * <p>What ends it first sets {@code ended}; then, and only then, {@code over} of the interceptors
 * is called for the request. A reply that comes later is read nevertheless, to learn what it
 * carries, and dropped; of a cancelled call it also says what the cancelling did. What a reply
 * brings is read once, however often it comes: of two copies that are read at the same time, the
 * one that ends the call might be the one that brought nothing. The deadline and the transport only
 * hand over: everything runs by {@code steps}, which are the grid's completions, or the thread that
 * waits for the call.
 */
public final class ClientCall<R extends @Nullable Object> extends DeadlineWheel.Entry
    implements Consumer<Reply> {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Caller caller;
  private final MessageCodec wire;
  private final Outgoing message;
  private final Duration timeout;
  private final Executor steps;
  final CallFuture<R> future;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicBoolean read = new AtomicBoolean();
  private final AtomicReference<@Nullable CompletableFuture<Cancellation>> cancellation =
      new AtomicReference<>();
  private final long thread = Thread.currentThread().getId();
  private final @Nullable CallId within = ServerCall.currentId();
  private volatile @Nullable Reply reply;
  private volatile @Nullable Sending sending;

  /** The data for sending the request once more, kept only if the caller asked for that. */
  record Sending(Member member, Request request, int refusals) {}

  ClientCall(Caller caller, Outgoing message, Duration timeout, Executor steps) {
    this.caller = caller;
    this.wire = caller.wire;
    this.message = message;
    this.timeout = timeout;
    this.steps = steps;
    this.future = new CallFuture<>(this::callback, this);
  }

  /** Runs an asynchronous stage of the future, or of one derived from it. */
  private void callback(Runnable stage) {
    steps.execute(() -> wire.completing(message, stage));
  }

  boolean hasEnded() {
    return ended.get();
  }

  CallInfo call() {
    return message.call();
  }

  OpenCall open() {
    return new OpenCall(call(), message.madeNanos(), thread, within);
  }

  /** Somebody completed the future from outside, as by cancelling: the callee may stop. */
  void taken() {
    CompletableFuture<Cancellation> asked = new CompletableFuture<>();
    boolean first = cancellation.compareAndSet(null, asked); // Before a late reply looks at it.
    if (end(new GridException(Status.CANCELLED, "cancelled by its caller", true, null, null))) {
      caller.settled(message);
      caller.cancelling.send(this, asked);
      Reply came = reply;
      if (came != null) { // Here or in arrive(): one of the two sees both.
        tellCancelled(came);
      }
    } else if (first) {
      asked.complete(Cancellation.HAD_ENDED);
    }
  }

  /** Cancels the call if it has not ended; the stage says what that did. */
  public CompletableFuture<Cancellation> cancel() {
    future.cancel(true);
    CompletableFuture<Cancellation> asked = cancellation.get();
    return asked == null ? CompletableFuture.completedFuture(Cancellation.HAD_ENDED) : asked.copy();
  }

  /** The reply to a cancelled call says what the cancelling did. */
  private void tellCancelled(Reply reply) {
    CompletableFuture<Cancellation> asked = cancellation.get();
    if (asked == null) {
      return;
    }
    GridException failure = reply.failure();
    if (reply.isLost() && failure != null) {
      asked.completeExceptionally(caller.lost(call(), failure));
    } else if (failure != null && !failure.mayHaveRun()) {
      asked.complete(Cancellation.NEVER_RAN);
    } else {
      boolean isInterrupted =
          failure != null && failure.status() == Status.CANCELLED && failure.remote() == null;
      asked.complete(isInterrupted ? Cancellation.INTERRUPTED : Cancellation.HAD_ENDED);
    }
  }

  /**
   * Returns the pause after the refusal number {@code refusals}, counted from 0: between a half and
   * the whole of a time that doubles up to 2 s, by a random number from 0 to 1.
   */
  static long pauseNanos(int refusals, double random) {
    long longest = Math.min(FIRST_PAUSE_NANOS << Math.min(refusals, 30), LONGEST_PAUSE_NANOS);
    return (long) (longest * (1 + random) / 2);
  }

  /** Lets the request be sent again when its callee has no room. */
  void retryWith(Member member, Request request) {
    sending = new Sending(member, request, 0);
  }

  /** Sends the request again in a moment if it was refused for want of room, and is to wait. */
  private boolean retry(GridException failure) {
    Sending last = sending;
    if (last == null
        || failure.status() != Status.REJECTED
        || failure.mayHaveRun()
        || failure.remote() != null
        || hasEnded()) {
      return false;
    }
    sending = new Sending(last.member, last.request, last.refusals + 1);
    caller.sendLater(this, last);
    return true;
  }

  @Override
  public void expired() {
    String deadline =
        timeout.toMillis() > 0 ? timeout.toMillis() + " ms" : timeout.toNanos() + " ns";
    String message =
        "%s on worker %s gave no answer within its deadline of %s; it may have run, or run still"
            .formatted(call().function(), call().callee().name(), deadline);
    fail(new GridException(Status.TIMEOUT, message, true, null, null));
  }

  @Override
  public void accept(Reply reply) {
    steps.execute(() -> arrive(reply));
  }

  private void arrive(Reply reply) {
    GridException failure = reply.failure();
    if (failure != null && !reply.isLost() && retry(failure)) {
      return;
    }
    this.reply = reply;
    tellCancelled(reply);
    if (failure != null) {
      failNow(
          reply.isLost()
              ? caller.lost(call(), failure)
              : RemoteErrorCodec.arrived(failure, wire.allowed(), call().callee().name()));
      return;
    }
    if (!read.compareAndSet(false, true)) {
      return;
    }
    Incoming incoming = new Incoming(message);
    List<@Nullable Object> values;
    try {
      values = wire.read(reply.headers(), reply.values(), incoming);
    } catch (Throwable e) { // The future must end whatever the reply holds.
      failNow(unreadable(e));
      return;
    }
    CompletableFuture<?> arrived = null;
    try {
      if (values.size() != 1) {
        throw new GridException(Status.BAD_VALUE, "a reply has one value, got " + values.size());
      }
      if (!hasEnded()) {
        arrived = wire.arrived(incoming);
      }
    } catch (Throwable e) {
      wire.dropped(incoming);
      failNow(unreadable(e));
      return;
    }
    Object value = values.get(0);
    if (arrived == null) {
      succeed(value, incoming);
      return;
    }
    var unused =
        arrived.whenCompleteAsync(
            (nothing, thrown) -> {
              if (thrown == null) {
                succeed(value, incoming);
              } else {
                wire.dropped(incoming);
                failNow(ExceptionMapper.of(thrown));
              }
            },
            steps);
  }

  private GridException unreadable(Throwable thrown) {
    GridException failure = ExceptionMapper.of(thrown);
    String message =
        "the result of %s on worker %s cannot be read: %s"
            .formatted(call().function(), call().callee().name(), failure.getMessage());
    return new GridException(failure.status(), message, true, null, failure);
  }

  private void succeed(@Nullable Object value, Incoming incoming) {
    if (!end(null)) {
      wire.dropped(incoming);
      return;
    }
    wire.completing(
        message,
        () -> {
          if (!future.endWith(value)) {
            wire.dropped(incoming);
          }
        });
    caller.settled(message);
  }

  /** Ends the call with a failure; the future hears of it on a thread of its own. */
  void fail(GridException failure) {
    if (end(failure)) {
      steps.execute(() -> tell(failure));
    }
  }

  private void failNow(GridException failure) {
    if (end(failure)) {
      tell(failure);
    }
  }

  private void tell(GridException failure) {
    wire.completing(message, () -> future.fail(failure));
    caller.settled(message);
  }

  /** Does once what the outcome, known now, asks for; false if the call had ended before. */
  private boolean end(@Nullable GridException failure) {
    if (!ended.compareAndSet(false, true)) {
      return false;
    }
    caller.ended(this);
    wire.over(message, failure);
    return true;
  }
}
