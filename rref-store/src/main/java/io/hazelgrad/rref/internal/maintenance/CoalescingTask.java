package io.hazelgrad.rref.internal.maintenance;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs rounds one at a time. A request that arrives during a round starts exactly one more round
 * after it. Periodic rounds rest {@value #REST} times as long as the last round took, so that a
 * grid with a million references is not busy with rounds. They rest no longer than {@link
 * #LONGEST_REST}, since a round may also take long because a worker was silent. Threads: safe.
 */
final class CoalescingTask {
  static final int REST = 20;
  static final Duration LONGEST_REST = Duration.ofSeconds(20);

  private final BooleanSupplier running;
  private final LongSupplier nanoTime;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private final AtomicBoolean waiting = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();

  /** The time of the next periodic round. */
  private volatile long due;

  /** Creates a task that runs rounds as long as {@code running} is true. */
  CoalescingTask(BooleanSupplier running, LongSupplier nanoTime) {
    this.running = running;
    this.nanoTime = nanoTime;
    this.due = nanoTime.getAsLong();
  }

  /** Runs a round now, or after the present one. */
  void run(Runnable round) {
    wanted.set(true);
    while (wanted.get() && lock.tryLock()) {
      try {
        while (wanted.getAndSet(false) && running.getAsBoolean()) {
          long start = nanoTime.getAsLong();
          round.run();
          long end = nanoTime.getAsLong();
          due = end + Math.min(REST * (end - start), LONGEST_REST.toNanos());
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Runs a periodic round, unless the rest after the last one has not passed. */
  void runIfRested(Runnable round) {
    if (nanoTime.getAsLong() - due >= 0) {
      run(round);
    }
  }

  /**
   * Runs other work, always the same, that must not overlap with a round. It waits for the present
   * round. Requests that arrive while one waits return at once: the waiting one serves them.
   */
  void between(Runnable work) {
    if (!waiting.compareAndSet(false, true)) {
      return;
    }
    lock.lock();
    try {
      waiting.set(false); // What is requested from now on may come too late for this one.
      if (running.getAsBoolean()) {
        work.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
