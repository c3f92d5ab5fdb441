package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.RemoteFunction;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.CallInfo;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call on its callee, from the request to the reply: its state, and who moves it on. The work
 * itself is in {@link ServerCallSteps}. Only {@link State#RUNNING} has a thread.
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
public final class ServerCall extends DeadlineWheel.Entry implements Runnable {
  /** What a call waits for, or that a thread works for it. */
  enum State {
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
  interface Step {
    Runnable run() throws Throwable;
  }

  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final ThreadLocal<@Nullable ServerCall> CURRENT = new ThreadLocal<>();

  private final Callee callee;
  private final CallPool lane;
  private final Request request;
  private final RemoteFunction<?> function;
  private final Incoming incoming;
  private final ServerCallSteps steps;
  private final ReplySender answer;

  // Under the lock, which is this.
  private State state = State.QUEUED;
  private boolean late;
  private boolean leaving;
  private @Nullable GridException stopping;
  private @Nullable Thread interruptible;
  private @Nullable CompletionStage<?> stage;
  private Consumer<@Nullable GridException> next = this::refused;

  private volatile boolean started;

  ServerCall(Callee callee, CallPool lane, Request request, Consumer<Reply> replyTo) {
    this.callee = callee;
    this.lane = lane;
    this.request = request;
    this.answer = new ReplySender(callee.self(), replyTo);
    this.function = request.function().known(callee.registry());
    CallInfo info =
        new CallInfo(
            request.id(), request.caller(), callee.self(), request.kind(), function.toString());
    this.incoming = new Incoming(info, request.deadlineNanos());
    this.steps = new ServerCallSteps(this, callee, request, function, incoming);
  }

  /** Returns the call that this thread works for, or null. */
  public static @Nullable ServerCall current() {
    return CURRENT.get();
  }

  /**
   * Returns the nanoseconds until the deadline of the call that this thread works for; MAX_VALUE if
   * there is none.
   */
  public static long currentRemainingNanos() {
    ServerCall call = CURRENT.get();
    return call == null ? Long.MAX_VALUE : call.incoming.remainingNanos();
  }

  public Grid grid() {
    return callee.grid();
  }

  CallInfo info() {
    return incoming.call();
  }

  synchronized boolean hasEnded() {
    return state == State.ENDED;
  }

  CallId id() {
    return request.id();
  }

  public Worker self() {
    return callee.self();
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
      answer.send(
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
      work(steps::read);
    } else if (take(State.ARRIVED)) {
      work(steps::start);
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
  void await(
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
      over = late || leaving || (why != null && wait != State.READYING);
    }
    if (over) {
      end(why);
      return;
    }
    var unused =
        what.whenComplete(
            (nothing, thrown) -> {
              if (!take(wait)) {
                return;
              }
              if (wait == State.ARRIVING && thrown == null) {
                then.accept(null); // Goes to its lane, where another thread works for it.
              } else {
                callee
                    .continuations()
                    .execute(() -> then.accept(thrown == null ? null : failures.apply(thrown)));
              }
            });
  }

  @Override
  public void expired() {
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

  /** As {@link #stop}, but a function that has returned is let go on, unless it has to wait. */
  void leave(GridException why) {
    synchronized (this) {
      if (state == State.RUNNING && started && interruptible == null) {
        stopping = why;
        leaving = true;
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
        told = answer.claim(); // Before the function can end by the interrupt, and answer itself.
        interrupt();
      } else {
        state = State.RUNNING; // On this thread.
      }
    }
    if (from == State.RUNNING) {
      GridException reason = Objects.requireNonNull(why);
      Reply reply = Reply.failure(started ? ExceptionMapper.hasRun(reason) : reason);
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
    then.accept(started ? ExceptionMapper.hasRun(failure) : failure);
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

  /** Does a piece of work and the one after it. Nothing may escape: the caller must hear of it. */
  void work(Step step) {
    ServerCall outer = CURRENT.get();
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

  /** What the interceptors needed is there, or will not come. */
  void arrived(@Nullable GridException failure) {
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

  /** Ends the call: lets go of everything, then the reply goes out. */
  void finish(Reply reply) {
    synchronized (this) {
      state = State.ENDED;
      stage = null;
    }
    callee.ended(this, request, reply);
    steps.release(started);
    answer.send(reply);
  }

  /** Returns whether the call is of this very caller, and not of another one with its id. */
  boolean isOf(Worker caller) {
    return request.caller().equals(caller);
  }

  /** The same request came once more: its sender gets the reply, too. False if it went out. */
  boolean alsoTo(Consumer<Reply> other) {
    return answer.alsoTo(other);
  }

  // ---- What the work asks for.

  /** The function begins on this thread, which may be interrupted from now on. */
  public synchronized void functionBegins() {
    if (stopping != null) {
      throw stopping;
    }
    interruptible = Thread.currentThread();
    started = true;
  }

  public void functionReturned() {
    synchronized (this) {
      interruptible = null;
    }
    Thread.interrupted(); // An interrupt of this call shall not hit the next one.
  }

  void requireTime() {
    if (incoming.remainingNanos() <= 0) {
      throw timeout(State.QUEUED.when);
    }
  }

  /** Throws why nobody waits for the result any more, if so. */
  synchronized void requireAwaited() {
    if (answer.isClaimed()) {
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
}
