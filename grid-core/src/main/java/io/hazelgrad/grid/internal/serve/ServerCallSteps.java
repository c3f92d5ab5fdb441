package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.FunctionRegistry;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.RemoteErrorCodec;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Causes;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pieces of work for one call on its callee: reads the arguments, runs the function, writes the
 * reply. When each of them runs, and on which thread, is decided by {@link ServerCall}; each gives
 * what comes after it, a wait or the end. Only one runs at a time.
 */
final class ServerCallSteps {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCallSteps.class);

  private final ServerCall call;
  private final Request request;
  private final RemoteFunction<?> function;
  private final Incoming incoming;
  private final MessageCodec wire;
  private final FunctionRegistry registry;

  private List<@Nullable Object> arguments = List.of();
  private boolean read;
  private boolean entered;

  ServerCallSteps(
      ServerCall call,
      Callee callee,
      Request request,
      RemoteFunction<?> function,
      Incoming incoming) {
    this.call = call;
    this.request = request;
    this.function = function;
    this.incoming = incoming;
    this.wire = callee.wire();
    this.registry = callee.registry();
  }

  /** Reads the arguments, and goes on if there is nothing to wait for. */
  Runnable read() throws Throwable {
    call.requireTime();
    arguments = wire.read(request.headers(), request.values(), incoming);
    read = true;
    CompletableFuture<?> arriving = wire.arrived(incoming);
    return isThere(arriving)
        ? start()
        : () ->
            call.await(
                ServerCall.State.ARRIVING,
                Objects.requireNonNull(arriving),
                ExceptionMapper::of,
                call::arrived);
  }

  private static boolean isThere(@Nullable CompletableFuture<?> future) {
    return future == null || (future.isDone() && !future.isCompletedExceptionally());
  }

  /** Runs the function, and goes on if it did not return a stage. */
  Runnable start() throws Throwable {
    call.requireTime();
    return within(
        () -> {
          wire.resolved(incoming, arguments);
          return run(function.body(registry, arguments, incoming));
        });
  }

  /** Runs the function. What it throws becomes the failure that its caller gets. */
  private @Nullable Object run(RemoteFunction.Body body) {
    call.functionBegins();
    try {
      return body.run();
    } catch (Throwable e) {
      throw thrown(e);
    } finally {
      call.functionReturned();
    }
  }

  /** Returns the failure for the caller, of what the function or its stage threw. */
  private GridException thrown(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    if (!(cause instanceof GridException)) {
      LOG.debug("{} threw on worker {}", function, call.self().name(), cause);
    }
    return RemoteErrorCodec.thrown(cause, function.toString(), call.self());
  }

  /** Takes what a function gives and writes the reply, in the scopes of the interceptors. */
  private Runnable within(RemoteFunction.Body body) throws Throwable {
    CallInterceptor.Scope scope = wire.enter(incoming);
    entered = true;
    try {
      Object result;
      try {
        result = body.run();
        if (result instanceof CompletionStage<?> pending) {
          if (!(pending instanceof CompletableFuture<?> future && future.isDone())) {
            return () ->
                call.await(
                    ServerCall.State.SETTLING,
                    pending,
                    this::thrown,
                    failure -> call.work(() -> settled(pending, failure)));
          }
          result = valueOf(future);
        }
        result = wire.returned(incoming, result);
      } catch (GridException e) {
        if (!wire.threw(incoming, e)) {
          return () -> call.finish(Reply.failure(e));
        }
        result = null;
      }
      return reply(result);
    } finally {
      scope.close();
    }
  }

  /** The stage that the function returned has ended, or is not waited for any more. */
  private Runnable settled(CompletionStage<?> pending, @Nullable GridException failure)
      throws Throwable {
    return within(
        () -> {
          if (failure != null) {
            throw failure;
          }
          return valueOf(pending.toCompletableFuture());
        });
  }

  private @Nullable Object valueOf(CompletableFuture<?> future) {
    try {
      return future.join();
    } catch (CompletionException | CancellationException e) {
      throw thrown(e);
    }
  }

  private Runnable reply(@Nullable Object result) throws Throwable {
    Outgoing reply = new Outgoing(incoming);
    try {
      call.requireAwaited();
      MessageCodec.Encoded encoded = wire.write(Collections.singletonList(result), reply);
      CompletableFuture<?> ready = wire.ready(reply);
      if (!isThere(ready)) {
        return () ->
            call.await(
                ServerCall.State.READYING,
                Objects.requireNonNull(ready),
                ExceptionMapper::of,
                failure -> readied(reply, encoded, failure));
      }
      wire.over(reply, null);
      return () -> call.finish(Reply.value(encoded.headers, encoded.values));
    } catch (Throwable e) { // Thrown here, but the function has run.
      GridException failure = named(ExceptionMapper.hasRun(ExceptionMapper.of(e)));
      wire.over(reply, failure);
      if (failure.status() == Status.INTERNAL) {
        throw e;
      }
      return () -> call.finish(Reply.failure(failure));
    }
  }

  private void readied(
      Outgoing reply, MessageCodec.Encoded encoded, @Nullable GridException failure) {
    wire.over(reply, failure);
    call.finish(
        failure == null
            ? Reply.value(encoded.headers, encoded.values)
            : Reply.failure(ExceptionMapper.hasRun(failure)));
  }

  /** Says whose result cannot travel. */
  private GridException named(GridException e) {
    return e.status() == Status.BAD_VALUE
        ? new GridException(
            e.status(),
            function + " on worker " + call.self().name() + ": " + e.getMessage(),
            e.mayHaveRun(),
            e.remote(),
            e.getCause())
        : e;
  }

  /** Lets go of everything, before the reply goes out. */
  void release(boolean started) {
    if (entered) {
      wire.ended(incoming);
    }
    if (read && !started) {
      wire.dropped(incoming);
    }
  }
}
