package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import io.hazelgrad.grid.internal.serve.CallState.Phase;
import io.hazelgrad.grid.internal.wire.MessageCodec;
import io.hazelgrad.grid.internal.wire.RemoteErrorCodec;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its callee, from the request to the reply. Its {@link CallState} says where it is;
 * only {@link Phase#RUNNING} has a thread.
 *
 * <pre>
 * QUEUED -&gt; RUNNING: read() -&gt; ARRIVING -&gt; ARRIVED -&gt; RUNNING: start() -&gt; SETTLING
 *        -&gt; RUNNING: writeReply() -&gt; READYING -&gt; RUNNING: finish() -&gt; ENDED
 * </pre>
 *
 * A state is left out where there is nothing to wait for: an ordinary call goes QUEUED, RUNNING,
 * ENDED on one thread. ARRIVING waits for what interceptors need before the function may start,
 * ARRIVED again for a thread of the lane, SETTLING for the stage that the function returned,
 * READYING for what interceptors need before the reply may go out.
 *
 * <p><b>Invariants.</b> One reply goes out. What was read is dropped unless the function was
 * started. {@code ended} of the interceptors is called once if the request was entered.
 */
public final class ServerCall extends DeadlineWheel.Entry implements Runnable {
  /** A piece of work on a thread; returns the next one, which is a wait or the end. */
  private interface Step {
    Runnable run() throws Throwable;
  }

  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThreadLocal<@Nullable ServerCall> CURRENT = new ThreadLocal<>();
  private static final String NO_THREAD = "no thread can be started there now";

  private final Callee callee;
  private final CallPool lane;
  final Request request;
  private final RemoteFunction<?> function;
  private final Incoming incoming;
  private final MessageCodec wire;
  final CallState state;

  // Of the thread that works for the call.
  private List<@Nullable Object> arguments = List.of();
  private boolean read;
  private boolean entered;

  ServerCall(Callee callee, CallPool lane, Request request, Consumer<Reply> replyTo) {
    this.callee = callee;
    this.lane = lane;
    this.request = request;
    this.wire = callee.wire;
    this.state = new CallState(replyTo, this::refused);
    this.function = request.function().known(callee.registry);
    CallInfo info =
        new CallInfo(
            request.id(), request.caller(), callee.self, request.kind(), function.toString());
    this.incoming = new Incoming(info, request.deadlineNanos());
  }

  /** Returns the grid of the call that this thread works for, or null. */
  public static @Nullable Grid currentGrid() {
    ServerCall call = CURRENT.get();
    return call == null ? null : call.callee.grid;
  }

  /** Returns the id of the call that this thread works for, or null. */
  public static @Nullable CallId currentId() {
    ServerCall call = CURRENT.get();
    return call == null ? null : call.request.id();
  }

  /** Returns the nanoseconds until the deadline of this thread's call; MAX_VALUE for none. */
  public static long currentRemainingNanos() {
    ServerCall call = CURRENT.get();
    return call == null ? Long.MAX_VALUE : call.incoming.remainingNanos();
  }

  /**
   * The same request came once more: its sender gets the reply, too. False if the reply went out,
   * or the call is of another caller with the same id.
   */
  boolean alsoTo(Worker caller, Consumer<Reply> other) {
    return request.caller().equals(caller) && state.alsoTo(other);
  }

  /** Returns where the call is now. */
  ServedCall served() {
    CallState.Position at = state.position();
    return new ServedCall(incoming.call(), incoming.receivedNanos(), at.phase(), at.thread(), lane);
  }

  // ---- The way of a call that nothing disturbs, in order.

  /** Lets the call be run; {@code here} allows it on this thread. */
  void enqueue(boolean here) {
    if (here && lane.runHere(this)) {
      return;
    }
    switch (lane.submit(this)) {
      case ACCEPTED -> {}
      case FULL ->
          turnAway(
              "%s calls wait there already (HazelgradConfig.maxQueued)".formatted(lane.queued()));
      case NO_THREAD -> turnAway(NO_THREAD);
      case CLOSED -> stop(Callee.left(callee.self));
    }
  }

  @Override
  public void run() {
    if (state.take(Phase.QUEUED)) {
      work(this::read);
    } else if (state.take(Phase.ARRIVED)) {
      work(this::start);
    }
  }

  /** Does a piece of work and the one after it. Nothing may escape: the caller must hear of it. */
  private void work(Step step) {
    ServerCall outer = CURRENT.get();
    CURRENT.set(this);
    try {
      step.run().run();
    } catch (GridException e) {
      refused(e);
    } catch (Throwable e) {
      LOG.error("{} failed inside Hazelgrad", request, e);
      String message = "%s failed inside Hazelgrad: %s".formatted(function, e);
      refused(new GridException(Status.INTERNAL, message, true, null, e));
    } finally {
      if (outer == null) {
        CURRENT.remove();
        CallScope.abandon();
      } else {
        CURRENT.set(outer);
      }
    }
  }

  /** Reads the arguments, and goes on if there is nothing to wait for. */
  private Runnable read() throws Throwable {
    requireTime();
    arguments = wire.read(request.headers(), request.values(), incoming);
    read = true;
    CompletableFuture<?> arriving = wire.arrived(incoming);
    return isThere(arriving)
        ? start()
        : () ->
            await(
                Phase.ARRIVING,
                Objects.requireNonNull(arriving),
                ExceptionMapper::of,
                this::arrived);
  }

  private static boolean isThere(@Nullable CompletableFuture<?> future) {
    return future == null || (future.isDone() && !future.isCompletedExceptionally());
  }

  /** Goes on when the interceptors have what they waited for, or fails. */
  private void arrived(@Nullable GridException failure) {
    if (failure != null) {
      refused(failure);
      return;
    }
    state.queueAgain(this::refused);
    switch (lane.resubmit(this)) {
      case ACCEPTED, FULL -> {}
      case NO_THREAD -> stop(noRoom(NO_THREAD));
      case CLOSED -> stop(Callee.left(callee.self));
    }
  }

  /** Runs the function, and goes on if it did not return a stage. */
  private Runnable start() throws Throwable {
    requireTime();
    return within(
        () -> {
          wire.resolved(incoming, arguments);
          return run(function.body(callee.registry, arguments, incoming));
        });
  }

  /** Runs the function. What it throws becomes the failure that its caller gets. */
  private @Nullable Object run(RemoteFunction.Body body) {
    state.begin();
    try {
      return body.invoke();
    } catch (Throwable e) {
      throw thrown(e);
    } finally {
      state.returned();
    }
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
                await(
                    Phase.SETTLING,
                    pending,
                    this::thrown,
                    failure -> work(() -> settled(pending, failure)));
          }
          result = valueOf(future);
        }
        result = wire.returned(incoming, result);
      } catch (GridException e) {
        if (!wire.threw(incoming, e)) {
          return () -> refused(e);
        }
        result = null;
      }
      return writeReply(result);
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

  private Runnable writeReply(@Nullable Object result) throws Throwable {
    Outgoing reply = new Outgoing(incoming);
    try {
      state.requireAwaited();
      MessageCodec.Encoded encoded = wire.write(Collections.singletonList(result), reply);
      CompletableFuture<?> ready = wire.ready(reply);
      if (!isThere(ready)) {
        return () ->
            await(
                Phase.READYING,
                Objects.requireNonNull(ready),
                ExceptionMapper::of,
                failure -> readied(reply, encoded, failure));
      }
      wire.over(reply, null);
      return () -> finish(Reply.value(encoded.headers(), encoded.values()));
    } catch (Throwable e) { // Thrown here, but the function has run.
      GridException failure = named(ExceptionMapper.hasRun(ExceptionMapper.of(e)));
      wire.over(reply, failure);
      if (failure.status() == Status.INTERNAL) {
        throw e;
      }
      return () -> refused(failure);
    }
  }

  private void readied(
      Outgoing reply, MessageCodec.Encoded encoded, @Nullable GridException failure) {
    wire.over(reply, failure);
    finish(
        failure == null
            ? Reply.value(encoded.headers(), encoded.values())
            : Reply.failure(ExceptionMapper.hasRun(failure)));
  }

  private void refused(@Nullable GridException why) {
    finish(Reply.failure(Objects.requireNonNull(why)));
  }

  /** Ends the call: lets go of everything, then the reply goes out. */
  private void finish(Reply reply) {
    state.end();
    callee.ended(this, reply);
    if (entered) {
      wire.ended(incoming);
    }
    if (read && !state.isStarted()) {
      wire.dropped(incoming);
    }
    send(reply);
  }

  /** Sends the reply, unless a stop has claimed to answer. */
  private void send(Reply reply) {
    Reply outward = outward(reply);
    state.claim().forEach(sender -> sender.accept(outward));
  }

  /**
   * Logs a failure that the function did not throw. To its caller, a worker that closes in the
   * middle of a call is a worker that is lost.
   */
  private Reply outward(Reply reply) {
    GridException failure = reply.failure();
    if (failure == null || failure.remote() != null) {
      return reply;
    }
    LOG.debug("{} failed: {}", request, failure.toString());
    if (failure.status() != Status.CLOSED) {
      return reply;
    }
    String message = Callee.left(callee.self).getMessage() + ": " + failure.getMessage();
    return Reply.failure(
        new GridException(Status.WORKER_LOST, message, failure.mayHaveRun(), null, failure));
  }

  // ---- Waits, and what ends them.

  /** Waits for a stage without a thread; {@code then} gets null, or why it will not come. */
  private void await(
      Phase wait,
      CompletionStage<?> what,
      Function<Throwable, GridException> failures,
      Consumer<@Nullable GridException> then) {
    CallState.Stopped over = state.await(wait, what, then);
    if (over != null) {
      goOn(over);
      return;
    }
    var unused =
        what.whenComplete(
            (nothing, thrown) -> {
              if (!state.take(wait)) {
                return;
              }
              if (wait == Phase.ARRIVING && thrown == null) {
                then.accept(null); // Goes to its lane, where another thread works for it.
              } else {
                callee.continuations.execute(
                    () -> then.accept(thrown == null ? null : failures.apply(thrown)));
              }
            });
  }

  @Override
  public void expired() {
    state.noteLate();
    callee.continuations.execute(() -> stop(null)); // Not on the timer.
  }

  /** There is no room. The call may come again, so nothing of it stays. */
  private void turnAway(String why) {
    if (state.take(Phase.QUEUED)) {
      state.end();
      callee.refused(this);
      send(Reply.failure(noRoom(why)));
    }
  }

  private GridException noRoom(String why) {
    return new GridException(
        Status.REJECTED,
        "worker %s has no room for %s: %s; try again later, or let Rpc.waitingWhenFull() do so"
            .formatted(callee.self.name(), function, why));
  }

  /** As {@link #stop}, for its caller. A function that has returned its result is let go on. */
  void cancel() {
    GridException why =
        new GridException(Status.CANCELLED, function + " was cancelled by its caller");
    if (!state.goesOnCancelled(why)) {
      stop(why);
    }
  }

  /** As {@link #stop}, but a function that has returned is let go on, unless it has to wait. */
  void leave(GridException why) {
    if (!state.goesOnLeaving(why)) {
      stop(why);
    }
  }

  /**
   * Ends the call where it is. One that runs is answered now and its function interrupted, unless
   * the cause is the deadline: then it runs on.
   *
   * @param why null if it is the deadline
   */
  void stop(@Nullable GridException why) {
    CallState.Stopped stopped = state.stop(why);
    if (stopped != null) {
      goOn(stopped);
    }
  }

  private void goOn(CallState.Stopped stopped) {
    if (stopped.from() == Phase.SETTLING) { // Runs code of users, which may take long.
      callee.continuations.execute(
          () -> {
            cancel(stopped.stage());
            answer(stopped);
          });
      return;
    }
    if (stopped.from() == Phase.QUEUED || stopped.from() == Phase.ARRIVED) {
      lane.remove(this);
    }
    answer(stopped);
  }

  private void answer(CallState.Stopped stopped) {
    GridException why = stopped.why() == null ? timeout(stopped.from()) : stopped.why();
    stopped.next().accept(state.isStarted() ? ExceptionMapper.hasRun(why) : why);
  }

  private static void cancel(@Nullable CompletionStage<?> stage) {
    if (stage != null) {
      try {
        stage.toCompletableFuture().cancel(true);
      } catch (UnsupportedOperationException e) {
        LOG.debug("{} cannot be cancelled", stage.getClass(), e);
      }
    }
  }

  private void requireTime() {
    if (incoming.remainingNanos() <= 0) {
      throw timeout(Phase.QUEUED);
    }
  }

  // ---- Failures.

  /** Returns the failure for the caller, of what the function or its stage threw. */
  private GridException thrown(Throwable thrown) {
    Throwable cause = Causes.of(thrown);
    if (!(cause instanceof GridException)) {
      LOG.debug("{} threw on worker {}", function, callee.self.name(), cause);
    }
    return RemoteErrorCodec.thrown(cause, function.toString(), callee.self);
  }

  /** Names the function whose result cannot travel. */
  private GridException named(GridException e) {
    String message = function + ": " + e.getMessage();
    return e.status() == Status.BAD_VALUE
        ? new GridException(e.status(), message, e.mayHaveRun(), e.remote(), e.getCause())
        : e;
  }

  private GridException timeout(Phase phase) {
    String message = function + ": its deadline passed " + phase.when;
    return new GridException(Status.TIMEOUT, message, state.isStarted(), null, null);
  }
}
