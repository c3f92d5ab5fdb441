package io.hazelgrad.grid.internal.call;

import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.RemoteFunction.ServiceFunction;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.MessageKind;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The caller's side of cancelling: asks callees to stop, and ends the stages that say the effect.
 *
 * <p>Threads: safe.
 */
public final class CancelRequests {
  /** The service of every worker that receives cancel requests. */
  public static final String SERVICE = "grid.cancel";

  static final MessageKind KIND = MessageKind.service(SERVICE);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Caller caller;
  private final Executor completions;
  private final DeadlineWheel deadlines;
  private final Map<ClientCall<?>, CompletableFuture<Cancellation>> open =
      new ConcurrentHashMap<>();

  CancelRequests(Caller caller, Executor completions, DeadlineWheel deadlines) {
    this.caller = caller;
    this.completions = completions;
    this.deadlines = deadlines;
  }

  /**
   * Asks the callee to stop. Not on this thread, which may be bound to what calls carry.
   *
   * @param asked ended by the reply to the call; here only if that will not come
   */
  void send(ClientCall<?> cancelled, CompletableFuture<Cancellation> asked) {
    CallInfo call = cancelled.call();
    open.put(cancelled, asked);
    DeadlineWheel.Entry silence =
        deadlines.after(
            TIMEOUT.toNanos(),
            () -> completions.execute(() -> asked.completeExceptionally(silent(call))));
    var unused =
        asked.whenComplete(
            (outcome, failure) -> {
              open.remove(cancelled);
              deadlines.remove(silence);
            });
    completions.execute(() -> tell(call, asked));
  }

  private static GridException silent(CallInfo call) {
    String message =
        "worker " + call.callee().name() + " did not say what cancelling did to " + call;
    return new GridException(Status.TIMEOUT, message, true, null, null);
  }

  private void tell(CallInfo call, CompletableFuture<Cancellation> asked) {
    try {
      var unused =
          caller
              .<Object>call(
                  call.callee(),
                  new ServiceFunction<>(SERVICE),
                  Collections.singletonList(call.id().sequence()),
                  Caller.Options.within(TIMEOUT),
                  message -> {})
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      asked.completeExceptionally(ExceptionMapper.of(failure));
                    }
                  });
    } catch (GridException e) { // Its member has left, or this grid.
      asked.completeExceptionally(e);
    }
  }

  /** Ends all that is waited for. */
  void close(Supplier<GridException> why) {
    open.values().forEach(asked -> asked.completeExceptionally(why.get()));
  }
}
