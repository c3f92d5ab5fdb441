package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its callee, from the request to the reply. Only {@link State#RUNNING} has a thread.
 *
 * <pre>
 * QUEUED -&gt; RUNNING: reads -&gt; ARRIVING -&gt; ARRIVED -&gt; RUNNING: function -&gt; SETTLING
 *        -&gt; RUNNING: writes the reply -&gt; READYING -&gt; RUNNING: sends -&gt; ENDED
 * </pre>
 *
 * A state is left out where there is nothing to wait for: an ordinary call goes QUEUED, RUNNING,
 * ENDED on one thread. ARRIVING waits for what interceptors need before the function may start,
 * ARRIVED again for a thread of the lane, SETTLING for the stage that the function returned,
 * READYING for what interceptors need before the reply may go out.
 *
 * <p><b>Races.</b> A wait ends by what is waited for, the deadline, the cancelling of the caller,
 * or the closing of the grid. Each of them must take the call out of its state, under its lock, and
 * only the one that succeeds goes on with it. While it is RUNNING, a deadline is only noted, and
 * looked at when the next wait begins; stopping answers at once and interrupts the function, and
 * what the function still gives is cleaned up as a reply that did not go out.
 *
 * <p><b>Invariants.</b> One reply goes out. What was read is dropped unless the function was
 * started. {@code ended} of the interceptors is called once if the request was entered.
 */
final class Serving extends Deadlines.Entry implements Runnable {
  /** What a call waits for, or that a thread works for it. */
  private enum State {
    QUEUED("before it was started"),
    ARRIVING("while its arguments were confirmed"),
    ARRIVED("while it waited for its turn"),
    RUNNING(""),
    SETTLING("before the stage that it returned was complete"),
    READYING("while its result was confirmed"),
    ENDED("");

    /** When a deadline passed that passed here. */
    final String when;

    State(String when) {
      this.when = when;
    }
  }

  /** A piece of work on a thread; gives the next one. */
  private interface Step {
    Runnable run() throws Throwable;
  }

  /** What gives the result of a function, or a stage for it. */
  private interface Body {
    @Nullable Object run() throws Throwable;
  }

  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);
  private static final ThreadLocal<@Nullable Serving> CURRENT = new ThreadLocal<>();

  private final Callee callee;
  private final CallPool lane;
  private final Request request;
  private final Function<?> function;
  private final Incoming incoming;

  // Under the lock, which is this.
  private State state = State.QUEUED;
  private boolean late;
  private boolean answered;
  private @Nullable GridException stopping;
  private List<Consumer<Reply>> senders;
  private @Nullable Thread interruptible;
  private @Nullable CompletionStage<?> stage;
  private Consumer<@Nullable GridException> next = this::refused;

  // Of the thread that runs.
  private List<@Nullable Object> arguments = List.of();
  private boolean read;
  private boolean entered;
  private volatile boolean started;

  Serving(Callee callee, CallPool lane, Request request, Consumer<Reply> replyTo) {
    this.callee = callee;
    this.lane = lane;
    this.request = request;
    this.senders = List.of(replyTo);
    this.function = callee.callables().known(request.function());
    CallInfo info =
        new CallInfo(
            request.id(), request.caller(), callee.self(), request.kind(), function.toString());
    this.incoming = new Incoming(info, request.deadlineNanos());
  }

  /** Returns the call that this thread works for, or null. */
  static @Nullable Serving current() {
    return CURRENT.get();
  }

  Grid grid() {
    return callee.grid();
  }

  CallInfo info() {
    return incoming.call();
  }

  /** Returns the nanoseconds until the call's deadline, MAX_VALUE if it has none. */
  long remainingNanos() {
    return incoming.remainingNanos();
  }

  CallId id() {
    return request.id();
  }

  private Worker self() {
    return callee.self();
  }

  private Wire wire() {
    return callee.wire();
  }

  // ---- From state to state.

  /** Brings the call to its lane. */
  void enqueue() {
    switch (lane.submit(this)) {
      case ACCEPTED -> {}
      case FULL -> turnAway();
      case CLOSED -> stop(Callee.left(self()));
    }
  }

  /** There is no room. The call may come again, so nothing of it stays. */
  private void turnAway() {
    if (take(State.QUEUED)) {
      synchronized (this) {
        state = State.ENDED;
      }
      callee.refused(this);
      answer(
          Reply.failure(
              new GridException(
                  Status.REJECTED,
                  "worker "
                      + self().name()
                      + " has no room for "
                      + function
                      + ": "
                      + lane.queued()
                      + " calls wait there already (HazelgradConfig.maxQueued); try again later, or"
                      + " let Rpc.waitingWhenFull() do so")));
    }
  }

  @Override
  public void run() {
    if (take(State.QUEUED)) {
      work(this::read);
    } else if (take(State.ARRIVED)) {
      work(this::start);
    }
  }

  /** Takes the call out of a state, to work for it on this thread; false if it is not in it. */
  private synchronized boolean take(State from) {
    if (state != from) {
      return false;
    }
    state = State.RUNNING;
    return true;
  }

  /** Waits for a stage without a thread; {@code then} gets null, or why it will not come. */
  private void await(
      State wait,
      CompletionStage<?> what,
      java.util.function.Function<Throwable, GridException> failures,
      Consumer<@Nullable GridException> then) {
    boolean over;
    GridException why;
    synchronized (this) {
      state = wait;
      stage = what;
      next = then;
      why = stopping;
      over = late || (why != null && wait != State.READYING);
    }
    if (over) {
      end(why);
      return;
    }
    var unused =
        what.whenComplete(
            (nothing, thrown) -> {
              if (take(wait)) {
                callee
                    .continuations()
                    .execute(() -> then.accept(thrown == null ? null : failures.apply(thrown)));
              }
            });
  }

  @Override
  void expired() {
    synchronized (this) {
      late = true;
    }
    callee.continuations().execute(() -> end(null)); // Not on the timer.
  }

  /** Ends the call where it is. One that runs is answered now, and its function interrupted. */
  void stop(GridException why) {
    end(why);
  }

  /** As {@link #stop}, for its caller. A function that has returned its result is let go on. */
  void cancel() {
    GridException why =
        new GridException(
            Status.CANCELLED,
            function + " on worker " + self().name() + " was cancelled by its caller");
    synchronized (this) {
      if (state == State.READYING) {
        return;
      }
      if (state == State.RUNNING && started && interruptible == null) {
        stopping = why; // Only for the case that it returned a stage.
        return;
      }
    }
    end(why);
  }

  /** Ends the call where it is; without a reason it is the deadline, which lets it run on. */
  private void end(@Nullable GridException why) {
    State from;
    CompletionStage<?> awaited;
    Consumer<@Nullable GridException> then;
    List<Consumer<Reply>> told = List.of();
    synchronized (this) {
      from = state;
      awaited = stage;
      then = next;
      if (from == State.ENDED || (from == State.RUNNING && why == null)) {
        return;
      }
      if (from == State.RUNNING) {
        stopping = why;
        told = claimAnswer(); // Before the function can end by the interrupt, and answer itself.
        interrupt();
      } else {
        state = State.RUNNING; // On this thread.
      }
    }
    if (from == State.RUNNING) {
      GridException reason = Objects.requireNonNull(why);
      Reply reply = Reply.failure(started ? hasRun(reason) : reason);
      told.forEach(sender -> sender.accept(reply));
      return;
    }
    if (from == State.QUEUED || from == State.ARRIVED) {
      lane.remove(this);
    }
    if (from == State.SETTLING) {
      cancel(awaited);
    }
    GridException failure = why == null ? timeout(from.when) : why;
    then.accept(started ? hasRun(failure) : failure);
  }

  /** Interrupts the function, but not the thread that closes its own grid. Under the lock. */
  private void interrupt() {
    Thread thread = interruptible;
    if (thread != null && thread != Thread.currentThread()) {
      thread.interrupt();
    }
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

  // ---- The pieces of work.

  /** Does a piece of work and the one after it. Nothing may escape: the caller must hear of it. */
  private void work(Step step) {
    Serving outer = CURRENT.get();
    CURRENT.set(this);
    try {
      step.run().run();
    } catch (GridException e) {
      finish(Reply.failure(e));
    } catch (Throwable e) {
      LOG.error("{} failed inside Hazelgrad", request, e);
      finish(
          Reply.failure(
              new GridException(
                  Status.INTERNAL,
                  function + " failed inside Hazelgrad on worker " + self().name() + ": " + e,
                  true,
                  null,
                  e)));
    } finally {
      if (outer == null) {
        CURRENT.remove();
        CallScope.abandon();
      } else {
        CURRENT.set(outer);
      }
    }
  }

  private void refused(@Nullable GridException why) {
    finish(Reply.failure(Objects.requireNonNull(why)));
  }

  private Runnable read() throws Throwable {
    requireTime();
    arguments = wire().read(request.headers(), request.values(), incoming);
    read = true;
    CompletableFuture<?> arriving = wire().arrived(incoming);
    return isThere(arriving)
        ? start()
        : () ->
            await(State.ARRIVING, Objects.requireNonNull(arriving), Failures::of, this::arrived);
  }

  private static boolean isThere(@Nullable CompletableFuture<?> future) {
    return future == null || (future.isDone() && !future.isCompletedExceptionally());
  }

  /** What the interceptors needed is there, or will not come. */
  private void arrived(@Nullable GridException failure) {
    if (failure != null) {
      refused(failure);
      return;
    }
    synchronized (this) {
      state = State.ARRIVED;
      next = this::refused;
    }
    if (lane.resubmit(this) == CallPool.Admission.CLOSED) {
      end(Callee.left(self()));
    }
  }

  private Runnable start() throws Throwable {
    requireTime();
    return within(
        () -> {
          wire().resolved(incoming, arguments);
          return invoke();
        });
  }

  /** Takes what a function gives and writes the reply, in the scopes of the interceptors. */
  private Runnable within(Body body) throws Throwable {
    CallInterceptor.Scope scope = wire().enter(incoming);
    entered = true;
    try {
      Object result;
      try {
        result = body.run();
        if (result instanceof CompletionStage<?> pending) {
          if (!(pending instanceof CompletableFuture<?> future && future.isDone())) {
            return () ->
                await(State.SETTLING, pending, this::thrown, failure -> settled(pending, failure));
          }
          result = valueOf(future);
        }
        result = wire().returned(incoming, result);
      } catch (GridException e) {
        if (!wire().threw(incoming, e)) {
          return () -> finish(Reply.failure(e));
        }
        result = null;
      }
      return reply(result);
    } finally {
      scope.close();
    }
  }

  /** The stage that the function returned has ended, or is not waited for any more. */
  private void settled(CompletionStage<?> pending, @Nullable GridException failure) {
    work(
        () ->
            within(
                () -> {
                  if (failure != null) {
                    throw failure;
                  }
                  return valueOf(pending.toCompletableFuture());
                }));
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
      requireAwaited();
      Wire.Encoded encoded = wire().write(Collections.singletonList(result), reply);
      CompletableFuture<?> ready = wire().ready(reply);
      if (!isThere(ready)) {
        return () ->
            await(
                State.READYING,
                Objects.requireNonNull(ready),
                Failures::of,
                failure -> readied(reply, encoded, failure));
      }
      wire().over(reply, null);
      return () -> finish(Reply.value(encoded.headers, encoded.values));
    } catch (Throwable e) { // Thrown here, but the function has run.
      GridException failure = named(hasRun(Failures.of(e)));
      wire().over(reply, failure);
      if (failure.status() == Status.INTERNAL) {
        throw e;
      }
      return () -> finish(Reply.failure(failure));
    }
  }

  private void readied(Outgoing reply, Wire.Encoded encoded, @Nullable GridException failure) {
    wire().over(reply, failure);
    finish(
        failure == null
            ? Reply.value(encoded.headers, encoded.values)
            : Reply.failure(hasRun(failure)));
  }

  /** Ends the call: lets go of everything, then the reply goes out. */
  private void finish(Reply reply) {
    synchronized (this) {
      state = State.ENDED;
      stage = null;
    }
    callee.ended(this, request, reply);
    if (entered) {
      wire().ended(incoming);
    }
    if (read && !started) {
      wire().dropped(incoming);
    }
    answer(reply);
  }

  private void answer(Reply reply) {
    Reply outward = outward(reply);
    claimAnswer().forEach(sender -> sender.accept(outward));
  }

  /** To its caller, a worker that closes in the middle of a call is a worker that is lost. */
  private Reply outward(Reply reply) {
    GridException failure = reply.failure();
    if (failure == null || failure.status() != Status.CLOSED || failure.remote() != null) {
      return reply;
    }
    return Reply.failure(
        new GridException(
            Status.WORKER_LOST,
            Callee.left(self()).getMessage() + ": " + failure.getMessage(),
            failure.mayHaveRun(),
            null,
            failure));
  }

  /** Returns those to be answered, to the first who asks. */
  private synchronized List<Consumer<Reply>> claimAnswer() {
    if (answered) {
      return List.of();
    }
    answered = true;
    return senders;
  }

  /** The same request came once more: its sender gets the reply, too. False if it went out. */
  synchronized boolean alsoTo(Consumer<Reply> other) {
    if (answered) {
      return false;
    }
    senders = new ArrayList<>(senders);
    senders.add(other);
    return true;
  }

  // ---- The function.

  private @Nullable Object invoke() {
    if (function instanceof ServiceFunction<?> f) {
      Callables.Service service = callee.callables().service(f.name);
      return guarded(() -> service.handler().handle(arguments, incoming));
    }
    if (function instanceof OperatorFunction<?> f) {
      return guarded(() -> callee.callables().operators().apply(f.name, arguments));
    }
    if (function instanceof GraphFunction<?> f) {
      return guarded(() -> callee.callables().graphs().apply(f.name, f.version, arguments));
    }
    Callables.Target target = callee.callables().method((MethodFunction<?>) function);
    if (!target.takes(arguments)) {
      List<String> types =
          arguments.stream().map(a -> a == null ? "null" : a.getClass().getTypeName()).toList();
      throw new GridException(
          Status.BAD_ARGUMENT, function + " does not take arguments of " + types);
    }
    Object[] spread = arguments.toArray();
    return guarded(() -> (Object) target.handle().invoke(spread));
  }

  /** Runs code that is not the grid's. Whatever it throws belongs to the caller. */
  private @Nullable Object guarded(Body body) {
    synchronized (this) {
      if (stopping != null) {
        throw stopping;
      }
      interruptible = Thread.currentThread();
      started = true;
    }
    try {
      return body.run();
    } catch (Throwable e) {
      throw thrown(e);
    } finally {
      synchronized (this) {
        interruptible = null;
      }
      Thread.interrupted(); // An interrupt of this call shall not hit the next one.
    }
  }

  private GridException thrown(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (!(cause instanceof GridException) && !isStopped()) {
      LOG.warn("{} threw on worker {}", function, self().name(), cause);
    }
    return RemoteErrors.thrown(cause, function.toString(), self());
  }

  // ---- Failures.

  private void requireTime() {
    if (incoming.remainingNanos() <= 0) {
      throw timeout(State.QUEUED.when);
    }
  }

  private synchronized boolean isStopped() {
    return stopping != null;
  }

  private synchronized void requireAwaited() {
    if (answered) {
      throw Objects.requireNonNullElseGet(stopping, () -> Callee.left(self()));
    }
  }

  private GridException timeout(String when) {
    return new GridException(
        Status.TIMEOUT,
        function + " on worker " + self().name() + ": its deadline passed " + when,
        started,
        null,
        null);
  }

  private static GridException hasRun(GridException e) {
    return e.mayHaveRun()
        ? e
        : new GridException(
            e.status(),
            Objects.requireNonNullElse(e.getMessage(), ""),
            true,
            e.remote(),
            e.getCause());
  }

  /** Says whose result cannot travel. */
  private GridException named(GridException e) {
    return e.status() == Status.BAD_VALUE
        ? new GridException(
            e.status(),
            function + " on worker " + self().name() + ": " + e.getMessage(),
            e.mayHaveRun(),
            e.remote(),
            e.getCause())
        : e;
  }
}
