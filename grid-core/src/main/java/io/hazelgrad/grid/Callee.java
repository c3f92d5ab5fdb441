package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answering side of calls: reads a request, waits until the interceptors let it run, runs it
 * behind the gate, writes the reply. Runs on the thread that Hazelcast's executor gives the task.
 */
final class Callee {
  private static final Logger LOG = LoggerFactory.getLogger(Callee.class);

  private final Worker self;
  private final Callables callables;
  private final Gate gate;
  private final Wire wire;
  private final CountDownLatch opened = new CountDownLatch(1);
  private volatile boolean closed;

  Callee(Worker self, Callables callables, Gate gate, Wire wire) {
    this.self = self;
    this.callables = callables;
    this.gate = gate;
    this.wire = wire;
  }

  /** Lets the calls of others in, which waited for the grid to be complete. */
  void open() {
    opened.countDown();
  }

  /** Refuses calls from now on. */
  void close() {
    closed = true;
    opened.countDown();
  }

  Reply answer(Request request) {
    Incoming incoming = new Incoming(request.info(), request.deadlineNanos());
    try {
      requireMeantForMe(request);
      requireOpen(incoming);
      requireTime(incoming);
      List<@Nullable Object> arguments = wire.read(request.headers(), request.values(), incoming);
      return new Running(request.function(), arguments, incoming).reply();
    } catch (GridException e) {
      return Reply.failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Reply.failure(left(self));
    } catch (Throwable e) { // Nothing may escape: the caller must hear of every failure.
      LOG.error("{} failed inside Hazelgrad", incoming.call(), e);
      return Reply.failure(
          new GridException(
              Status.INTERNAL,
              incoming.call().function()
                  + " failed inside Hazelgrad on worker "
                  + self.name()
                  + ": "
                  + e,
              true,
              null,
              e));
    }
  }

  /** Makes the failure of a call to a worker that is not there any more. */
  static GridException left(Worker callee) {
    return new GridException(
        Status.WORKER_LOST,
        "worker " + callee.name() + " (id " + callee.id() + ") has left the grid");
  }

  private void requireMeantForMe(Request request) {
    if (request.callee().id() != self.id()) {
      throw new GridException(
          Status.WORKER_LOST,
          "the call was meant for worker "
              + request.callee().name()
              + " with id "
              + request.callee().id()
              + "; its member is now worker "
              + self.name()
              + " with id "
              + self.id());
    }
  }

  /** Waits until all extensions were started; they themselves may call their own worker. */
  private void requireOpen(Incoming incoming) throws InterruptedException {
    if (incoming.call().caller().id() != self.id()
        && !opened.await(incoming.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw timeout(incoming, false, "while the worker was joining");
    }
    if (closed) {
      throw left(self);
    }
  }

  private void requireTime(Incoming incoming) {
    if (incoming.remainingNanos() <= 0) {
      throw timeout(incoming, false, "before it was started");
    }
  }

  private GridException timeout(Incoming incoming, boolean hasRun, String when) {
    return new GridException(
        Status.TIMEOUT,
        incoming.call().function() + " on worker " + self.name() + ": its deadline passed " + when,
        hasRun,
        null,
        null);
  }

  /** A function's body. */
  private interface Body {
    @Nullable Object run() throws Throwable;
  }

  /** One call, on its thread. */
  private final class Running {
    private final Function<?> function;
    private final List<@Nullable Object> arguments;
    private final Incoming incoming;
    private boolean started;

    Running(Function<?> function, List<@Nullable Object> arguments, Incoming incoming) {
      this.function = function;
      this.arguments = arguments;
      this.incoming = incoming;
    }

    Reply reply() throws Exception {
      try {
        await(wire.arrived(incoming), "while its arguments were confirmed");
        CallInterceptor.Scope scope = wire.enter(incoming);
        try {
          return reply(result());
        } finally {
          scope.close();
        }
      } finally {
        if (!started) {
          wire.dropped(incoming);
        }
      }
    }

    private @Nullable Object result() throws Exception {
      try {
        wire.resolved(incoming, arguments);
        return wire.returned(incoming, invoke());
      } catch (GridException e) {
        if (wire.threw(incoming, e)) {
          return null;
        }
        throw e;
      }
    }

    private Reply reply(@Nullable Object result) throws Exception {
      Outgoing reply = new Outgoing(incoming);
      GridException failure = null;
      try {
        Wire.Encoded encoded = wire.write(Collections.singletonList(result), reply);
        await(wire.ready(reply), "while its result was confirmed");
        return Reply.value(encoded.headers, encoded.values);
      } catch (GridException e) { // Thrown here, but the function has run.
        failure = new GridException(e.status(), message(e), true, e.remote(), e.getCause());
        throw failure;
      } catch (Throwable e) {
        failure = Failures.of(e);
        throw e;
      } finally {
        wire.over(reply, failure);
      }
    }

    private String message(GridException e) {
      String message = Objects.requireNonNullElse(e.getMessage(), "");
      return e.status() == Status.BAD_VALUE
          ? function + " on worker " + self.name() + ": " + message
          : message;
    }

    private @Nullable Object invoke() throws Exception {
      if (function instanceof ServiceFunction<?> f) {
        Callables.Service service = callables.service(f.name);
        Body body = () -> service.handler().handle(arguments, incoming);
        return switch (service.lane()) {
          case CONTROL -> guarded(body);
          case WAITING -> settled(guarded(body));
          case USER -> settled(gated(body));
        };
      }
      if (function instanceof OperatorFunction<?> f) {
        return gated(() -> callables.operators().apply(f.name, arguments));
      }
      Callables.Target target = callables.method((MethodFunction<?>) function);
      if (!target.takes(arguments)) {
        List<String> types =
            arguments.stream().map(a -> a == null ? "null" : a.getClass().getTypeName()).toList();
        throw new GridException(
            Status.BAD_ARGUMENT, function + " does not take arguments of " + types);
      }
      Object[] spread = arguments.toArray();
      return settled(gated(() -> (Object) target.handle().invoke(spread)));
    }

    private @Nullable Object gated(Body body) throws Exception {
      if (!gate.enter(incoming.remainingNanos())) {
        throw timeout(incoming, false, "while it waited for its turn");
      }
      try {
        requireTime(incoming);
        return guarded(body);
      } finally {
        gate.leave();
      }
    }

    private @Nullable Object guarded(Body body) {
      started = true;
      try {
        return body.run();
      } catch (Throwable e) { // Whatever a function throws belongs to its caller.
        if (!(e instanceof GridException)) {
          LOG.warn("{} threw on worker {}", function, self.name(), e);
        }
        throw RemoteErrors.thrown(e, function.toString(), self);
      }
    }

    /** Waits for a stage that a function returned, until the deadline, and without a permit. */
    private @Nullable Object settled(@Nullable Object result) throws Exception {
      if (!(result instanceof CompletionStage<?> stage)) {
        return result;
      }
      CompletableFuture<?> future = stage.toCompletableFuture();
      if (!CallFuture.awaitEnd(future, incoming.remainingNanos())) {
        throw timeout(incoming, true, "before the stage that it returned was complete");
      }
      return guarded(() -> CallFuture.awaitRaw(future));
    }

    private void await(@Nullable CompletableFuture<?> future, String when) throws Exception {
      if (future == null) {
        return;
      }
      try {
        var unused = future.get(incoming.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw timeout(incoming, started, when);
      } catch (ExecutionException e) {
        throw Failures.of(e);
      }
    }
  }
}
