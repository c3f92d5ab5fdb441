package io.hazelgrad.grid.internal.serve;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.internal.wire.Reply;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link ServerCall}, under one lock: its phase, what it waits for, and the claim of
 * its reply. Calls nothing; the call does what a change of its state asks for.
 *
 * <p><b>Races.</b> A wait ends by what is waited for, the deadline, the cancelling of the caller,
 * or the closing of the grid. Each of them must take the call out of its phase, and only the one
 * that succeeds goes on with it. While it is RUNNING, a deadline is only noted, and looked at when
 * the next wait begins; stopping claims the reply and interrupts the function, and what the
 * function still gives is cleaned up as a reply that did not go out.
 *
 * <p>Threads: safe.
 */
public final class CallState {
  /** A wait, a thread that works for the call, or its end. */
  public enum Phase {
    QUEUED("before it was started"),
    ARRIVING("while its arguments were confirmed"),
    ARRIVED("while it waited for its turn"),
    RUNNING(""),
    SETTLING("before the stage that it returned was complete"),
    READYING("while its result was confirmed"),
    ENDED("");

    /** Completes the sentence "its deadline passed ..." in the error. */
    final String when;

    Phase(String when) {
      this.when = when;
    }
  }

  /**
   * The end of a wait, or of waiting for a function that runs on.
   *
   * @param from the phase that ended
   * @param stage the stage that was waited for, if any
   * @param next takes the failure
   * @param why null if it is the deadline
   */
  record Stopped(
      Phase from,
      @Nullable CompletionStage<?> stage,
      Consumer<@Nullable GridException> next,
      @Nullable GridException why) {}

  private List<Consumer<Reply>> senders;
  private Consumer<@Nullable GridException> next;
  private Phase phase = Phase.QUEUED;
  private boolean claimed;
  private boolean late;
  private boolean leaving;
  private @Nullable GridException stopping;
  private @Nullable Thread interruptible;
  private @Nullable CompletionStage<?> stage;
  private volatile boolean started;

  CallState(Consumer<Reply> sender, Consumer<@Nullable GridException> refused) {
    this.senders = List.of(sender);
    this.next = refused;
  }

  boolean isStarted() {
    return started;
  }

  synchronized boolean hasEnded() {
    return phase == Phase.ENDED;
  }

  /**
   * A phase, and the thread of the function.
   *
   * @param thread the id of the thread; 0 if none runs the function
   */
  record Position(Phase phase, long thread) {}

  synchronized Position position() {
    return new Position(phase, interruptible == null ? 0 : interruptible.getId());
  }

  /** Takes the call out of a phase, to work for it on this thread; false if it is not in it. */
  synchronized boolean take(Phase from) {
    if (phase != from) {
      return false;
    }
    phase = Phase.RUNNING;
    return true;
  }

  /** Waits for a thread of the lane once more. */
  synchronized void queueAgain(Consumer<@Nullable GridException> then) {
    phase = Phase.ARRIVED;
    next = then;
  }

  /** Waits for a stage; not null if that is over at once. */
  synchronized @Nullable Stopped await(
      Phase wait, CompletionStage<?> what, Consumer<@Nullable GridException> then) {
    phase = wait;
    stage = what;
    next = then;
    boolean over = late || leaving || (stopping != null && wait != Phase.READYING);
    return over ? stop(stopping) : null;
  }

  /** Lets the function begin on this thread, which may be interrupted from now on. */
  synchronized void begin() {
    if (stopping != null) {
      throw stopping;
    }
    interruptible = Thread.currentThread();
    started = true;
  }

  void returned() {
    synchronized (this) {
      interruptible = null;
    }
    Thread.interrupted(); // An interrupt of this call shall not hit the next one.
  }

  synchronized void noteLate() {
    late = true;
  }

  /**
   * Returns whether the call goes on though its caller cancels it, as its function has returned.
   */
  synchronized boolean goesOnCancelled(GridException why) {
    if (hasReturned()) {
      stopping = why; // Only for the case that it returned a stage.
      return true;
    }
    return phase == Phase.READYING;
  }

  /** Returns whether the call goes on though the grid closes, until it has to wait. */
  synchronized boolean goesOnLeaving(GridException why) {
    if (hasReturned()) {
      stopping = why;
      leaving = true;
      return true;
    }
    return false;
  }

  private boolean hasReturned() {
    return phase == Phase.RUNNING && started && interruptible == null;
  }

  /** Stops the call where it is; null if there is nothing to do, as for a late running function. */
  synchronized @Nullable Stopped stop(@Nullable GridException why) {
    Phase from = phase;
    if (from == Phase.ENDED || (from == Phase.RUNNING && why == null)) {
      return null;
    }
    if (from != Phase.RUNNING) {
      phase = Phase.RUNNING; // On this thread.
      return new Stopped(from, stage, next, why);
    }
    stopping = why;
    List<Consumer<Reply>> told = claim(); // Before the function ends by the interrupt, and answers.
    Thread thread = interruptible;
    if (thread != null && thread != Thread.currentThread()) { // That one closes its own grid.
      thread.interrupt();
    }
    return new Stopped(
        from,
        null,
        failure -> {
          Reply reply = Reply.failure(Objects.requireNonNull(failure));
          told.forEach(sender -> sender.accept(reply));
        },
        why);
  }

  synchronized void end() {
    phase = Phase.ENDED;
    stage = null;
  }

  /** The same request came once more: its sender gets the reply, too. False if it went out. */
  synchronized boolean alsoTo(Consumer<Reply> other) {
    if (claimed) {
      return false;
    }
    senders = Stream.concat(senders.stream(), Stream.of(other)).toList();
    return true;
  }

  /** Returns those to be answered, to the first who asks; nobody to all others. */
  synchronized List<Consumer<Reply>> claim() {
    if (claimed) {
      return List.of();
    }
    claimed = true;
    return senders;
  }

  /** Throws why nobody waits for the result any more, if so. For the thread that works on it. */
  synchronized void requireAwaited() {
    if (claimed) {
      throw Objects.requireNonNull(stopping);
    }
  }
}
