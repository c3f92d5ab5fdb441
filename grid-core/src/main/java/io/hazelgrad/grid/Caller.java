package io.hazelgrad.grid;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.ExecutionCallback;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.IExecutorService;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calling side: writes a request, sends it, and completes the caller's future exactly once: by
 * the reply, the deadline, the loss of the callee, cancelling, or the closing of this grid.
 */
final class Caller {
  private final Worker self;
  private final Directory directory;
  private final IExecutorService calls;
  private final IExecutorService control;
  private final Wire wire;
  private final AllowList allowed;
  private final Callables callables;
  private final Executor completions;
  private final ScheduledExecutorService timer;
  private final AtomicLong sequence = new AtomicLong();
  private final Set<Pending<?>> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Caller(
      Worker self,
      Directory directory,
      IExecutorService calls,
      IExecutorService control,
      Wire wire,
      AllowList allowed,
      Callables callables,
      Executor completions,
      ScheduledExecutorService timer) {
    this.self = self;
    this.directory = directory;
    this.calls = calls;
    this.control = control;
    this.wire = wire;
    this.allowed = allowed;
    this.callables = callables;
    this.completions = completions;
    this.timer = timer;
  }

  /** Calls by name. */
  <R extends @Nullable Object> CallFuture<R> call(
      String to, Function<R> function, List<@Nullable Object> arguments, Duration timeout) {
    return call(find(to), function, arguments, timeout);
  }

  Worker find(String name) {
    return whileOpen(
        () -> {
          Worker callee = directory.find(name);
          if (callee == null) {
            throw new GridException(
                Status.UNKNOWN_WORKER,
                "could not find destination \""
                    + name
                    + "\"; the living workers are "
                    + directory.workers().stream().map(Worker::name).toList());
          }
          return callee;
        });
  }

  /** Asks the directory, or says that this grid has been closed. */
  <T extends @Nullable Object> T whileOpen(Supplier<T> question) {
    if (closed) {
      throw closed(false);
    }
    try {
      return question.get();
    } catch (HazelcastInstanceNotActiveException e) {
      throw closed(false);
    }
  }

  /**
   * Calls a worker. What is wrong with the function or the arguments is thrown here; everything
   * later ends the future.
   */
  <R extends @Nullable Object> CallFuture<R> call(
      Worker callee, Function<R> function, List<@Nullable Object> arguments, Duration timeout) {
    return call(callee, function, arguments, timeout, message -> {});
  }

  /** As above; {@code setUp} attaches to the request what interceptors shall find there. */
  <R extends @Nullable Object> CallFuture<R> call(
      Worker callee,
      Function<R> function,
      List<@Nullable Object> arguments,
      Duration timeout,
      Consumer<Outgoing> setUp) {
    if (timeout.isNegative()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "a deadline must not be negative, zero means none: " + timeout);
    }
    Member member = whileOpen(() -> directory.member(callee));
    function.check(arguments, callables);
    if (member == null) {
      throw new GridException(
          Status.WORKER_LOST, "worker " + callee.name() + " (id " + callee.id() + ") has left");
    }
    CallInfo info =
        new CallInfo(
            new CallId(self.id(), sequence.incrementAndGet()), self, callee, function.toString());
    Outgoing message = new Outgoing(info);
    setUp.accept(message);
    Pending<R> call = new Pending<>(message);
    try {
      Wire.Encoded encoded = wire.write(arguments, message);
      long nanos = timeout.isZero() ? Long.MAX_VALUE : nanos(timeout);
      Request request = new Request(info, function, nanos, encoded.headers, encoded.values);
      pending.add(call);
      if (nanos != Long.MAX_VALUE) {
        call.endAfter(timeout, nanos);
      }
      if (!call.ended.get()) {
        executor(function).submitToMember(request, member, call);
      }
    } catch (RejectedExecutionException e) {
      call.fail(closed ? closed(false) : Failures.of(e));
    } catch (Throwable e) {
      GridException failure = Failures.of(e);
      call.fail(failure);
      throw failure;
    }
    if (closed) { // Here or in close(): one of the two sees the call.
      call.fail(closed(true));
    }
    return call.future;
  }

  private IExecutorService executor(Function<?> function) {
    return function instanceof ServiceFunction<?> service
            && callables.service(service.name).lane() == Handler.Lane.CONTROL
        ? control
        : calls;
  }

  private static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE - 1; // 292 years.
    }
  }

  /** Ends all calls that have no answer yet. */
  void close() {
    closed = true;
    pending.forEach(call -> call.fail(closed(true)));
  }

  /** Returns the number of calls without an answer. */
  int outstanding() {
    return pending.size();
  }

  private GridException closed(boolean mayHaveRun) {
    return new GridException(
        Status.CLOSED, "worker " + self.name() + " has left the grid", mayHaveRun, null, null);
  }

  /** A call that was made and has not ended. */
  private final class Pending<R extends @Nullable Object> implements ExecutionCallback<Reply> {
    private final Outgoing message;
    private final CallFuture<R> future = new CallFuture<>(completions);
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable Future<?> timeout;

    Pending(Outgoing message) {
      this.message = message;
      // Whoever completes the future from outside, by cancel() or orTimeout(), ends the call.
      var unused =
          future.whenComplete(
              (value, failure) ->
                  end(
                      new GridException(
                          Status.CANCELLED, "cancelled by its caller", true, null, failure)));
    }

    void endAfter(Duration deadline, long nanos) {
      Future<?> task = timer.schedule(() -> expire(deadline), nanos, TimeUnit.NANOSECONDS);
      timeout = task;
      if (ended.get()) { // Before there was a task to cancel.
        task.cancel(false);
      }
    }

    @Override
    public void onResponse(Reply reply) {
      completions.execute(() -> arrive(reply));
    }

    @Override
    public void onFailure(Throwable thrown) {
      completions.execute(() -> fail(lost(Failures.of(thrown))));
    }

    private void arrive(Reply reply) {
      GridException failure = reply.failure();
      if (failure != null) {
        fail(RemoteErrors.arrived(failure, allowed));
        return;
      }
      Incoming incoming = new Incoming(message);
      List<@Nullable Object> values;
      try {
        values = wire.read(reply.headers(), reply.values(), incoming);
      } catch (Throwable e) { // The future must end whatever the reply holds.
        fail(unreadable(e));
        return;
      }
      CompletableFuture<?> arrived = null;
      try {
        if (values.size() != 1) {
          throw new GridException(Status.BAD_VALUE, "a reply has one value, got " + values.size());
        }
        if (!ended.get()) {
          arrived = wire.arrived(incoming);
        }
      } catch (Throwable e) {
        wire.dropped(incoming);
        fail(unreadable(e));
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
                  fail(Failures.of(thrown));
                }
              },
              completions);
    }

    private GridException unreadable(Throwable thrown) {
      GridException failure = Failures.of(thrown);
      return new GridException(
          failure.status(),
          "the result of "
              + message.call().function()
              + " on worker "
              + message.call().callee().name()
              + " cannot be read: "
              + failure.getMessage(),
          true,
          null,
          failure);
    }

    private void succeed(@Nullable Object value, Incoming incoming) {
      if (!end(null)) {
        wire.dropped(incoming);
        return;
      }
      // What the callee's function returned is what the function's type says, or the caller lied
      // about it with a cast; then it learns by a ClassCastException, as with any generic type.
      @SuppressWarnings("unchecked")
      R result = (R) value;
      if (!future.complete(result)) {
        wire.dropped(incoming);
      }
    }

    private void expire(Duration after) {
      fail(
          new GridException(
              Status.TIMEOUT,
              message.call().function()
                  + " on worker "
                  + message.call().callee().name()
                  + " gave no answer within its deadline of "
                  + (after.toMillis() > 0 ? after.toMillis() + " ms" : after.toNanos() + " ns")
                  + "; it may have run, or run still",
              true,
              null,
              null));
    }

    private GridException lost(GridException failure) {
      boolean stopping = failure.status() == Status.CLOSED || failure.status() == Status.CANCELLED;
      if (stopping && (closed || !directory.isActive())) {
        return closed(true);
      }
      // Nobody cancels the task below: that, too, is the callee's executor going down.
      if (failure.status() != Status.WORKER_LOST && !stopping) {
        return failure;
      }
      return new GridException(
          Status.WORKER_LOST,
          "worker "
              + message.call().callee().name()
              + " was lost before it answered "
              + message.call().function()
              + ": "
              + failure.getMessage(),
          failure.mayHaveRun(),
          null,
          failure);
    }

    private void fail(GridException failure) {
      if (end(failure)) {
        completions.execute(() -> future.completeExceptionally(failure));
      }
    }

    /** Does once what the outcome, known now, asks for; false if the call had ended before. */
    private boolean end(@Nullable GridException failure) {
      if (!ended.compareAndSet(false, true)) {
        return false;
      }
      pending.remove(this);
      Future<?> timer = timeout;
      if (timer != null) {
        timer.cancel(false);
      }
      wire.over(message, failure);
      return true;
    }
  }
}
