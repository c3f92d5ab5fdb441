package io.hazelgrad.grid.internal.call;

import com.hazelcast.cluster.Member;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.FaultPolicy;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault;
import io.hazelgrad.grid.spi.MessageKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets messages go wrong as a {@link FaultPolicy} says; while there is none, that costs one read of
 * a field. Requests of calls pass as a {@link Transport}, other messages by {@link #send}.
 *
 * <p>Threads: safe.
 */
public final class FaultInjector implements Transport {
  /** After this a message without a deadline of its own is taken for lost. */
  private static final Duration NO_ANSWER = Duration.ofSeconds(1);

  private final Transport transport;
  private final ScheduledExecutorService timer;
  private final Executor executor;
  private volatile @Nullable FaultPolicy policy;

  public FaultInjector(Transport transport, ScheduledExecutorService timer, Executor executor) {
    this.transport = transport;
    this.timer = timer;
    this.executor = executor;
  }

  public void set(@Nullable FaultPolicy decides) {
    policy = decides;
  }

  @Override
  public void send(Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    FaultPolicy decides = policy;
    MessageFault found = decides == null ? null : decides.disturb(request.kind(), to, 0);
    if (found == null) {
      transport.send(to, member, request, replyTo);
    } else {
      after(found.delay(), () -> disturb(found, to, member, request, replyTo));
    }
  }

  private void disturb(
      MessageFault found, Worker to, Member member, Request request, Consumer<Reply> replyTo) {
    switch (found.what()) {
      case FAIL -> replyTo.accept(Reply.lost(intended(request.kind())));
      case DELAY -> transport.send(to, member, request, replyTo);
      case DROP_REQUEST -> {} // The call's deadline ends it.
      case DROP_REPLY -> transport.send(to, member, request, reply -> {});
      case DUPLICATE -> {
        Consumer<Reply> either = ofTwo(replyTo);
        transport.send(to, member, request, either);
        transport.send(to, member, request, either);
      }
    }
  }

  /**
   * The callee runs one copy. To the other it may say that it came before, and that may be here
   * first: it is no answer, which will come to the first copy.
   */
  private static Consumer<Reply> ofTwo(Consumer<Reply> replyTo) {
    AtomicBoolean dropped = new AtomicBoolean();
    return reply -> {
      GridException failure = reply.failure();
      boolean cameBefore =
          failure != null && failure.status() == Status.REJECTED && failure.mayHaveRun();
      if (!cameBefore || !dropped.compareAndSet(false, true)) {
        replyTo.accept(reply);
      }
    };
  }

  /** Sends a message that is no call. */
  public <T extends @Nullable Object> CompletionStage<T> send(
      MessageKind kind, @Nullable Worker to, int attempt, Supplier<CompletionStage<T>> send) {
    FaultPolicy decides = policy;
    MessageFault found = decides == null ? null : decides.disturb(kind, to, attempt);
    if (found == null) {
      return send.get();
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    after(found.delay(), () -> disturb(found, kind, send, result));
    return result;
  }

  private <T extends @Nullable Object> void disturb(
      MessageFault found,
      MessageKind kind,
      Supplier<CompletionStage<T>> send,
      CompletableFuture<T> result) {
    switch (found.what()) {
      case FAIL -> result.completeExceptionally(intended(kind));
      case DELAY -> pass(send, result);
      case DROP_REQUEST -> after(NO_ANSWER, () -> noAnswer(kind, result));
      case DROP_REPLY -> {
        pass(send, new CompletableFuture<>());
        after(NO_ANSWER, () -> noAnswer(kind, result));
      }
      case DUPLICATE -> {
        pass(send, result);
        pass(send, new CompletableFuture<>());
      }
    }
  }

  private static <T extends @Nullable Object> void pass(
      Supplier<CompletionStage<T>> send, CompletableFuture<T> result) {
    try {
      var unused = send.get().whenComplete(RetryScheduler.into(result));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private static void noAnswer(MessageKind kind, CompletableFuture<?> result) {
    result.completeExceptionally(
        new GridException(Status.TIMEOUT, kind + " had no answer", true, null, null));
  }

  private static GridException intended(MessageKind kind) {
    return new GridException(
        Status.INTENTIONAL_FAILURE, "a fault rule lets the sending of " + kind + " fail");
  }

  private void after(Duration pause, Runnable step) {
    if (pause.isZero()) {
      step.run();
      return;
    }
    try {
      var unused =
          timer.schedule(() -> executor.execute(step), pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) { // The grid is closing: nothing waits any more.
      step.run();
    }
  }
}
