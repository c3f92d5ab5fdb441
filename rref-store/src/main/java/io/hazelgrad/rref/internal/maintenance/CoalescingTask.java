package io.hazelgrad.rref.internal.maintenance;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Does rounds one at a time: who wants one while one is going on lets that be followed by one.
 * Those that nothing asks for but the time rest in between, {@value #REST} times as long as the
 * last one took, so that a grid of a million references is not busy with looking at them; but no
 * longer than {@link #LONGEST_REST}, since a round can also take long because somebody was silent.
 *
 * <p>Threads: safe.
 */
final class CoalescingTask {
  static final int REST = 20;
  static final Duration LONGEST_REST = Duration.ofSeconds(20);

  private final BooleanSupplier running;
  private final LongSupplier nanoTime;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();

  /** When a round may follow that only time asks for. */
  private volatile long due;

  /** Makes rounds that end when {@code running} says so, by a clock like the system's. */
  CoalescingTask(BooleanSupplier running, LongSupplier nanoTime) {
    this.running = running;
    this.nanoTime = nanoTime;
    this.due = nanoTime.getAsLong();
  }

  /** Does a round now, since something happened. */
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

  /** Does a round unless the last one was too short a time ago. */
  void runIfRested(Runnable round) {
    if (nanoTime.getAsLong() - due >= 0) {
      run(round);
    }
  }

  /** Does something that must not overlap with a round; waits for the one that is going on. */
  void between(Runnable work) {
    lock.lock();
    try {
      if (running.getAsBoolean()) {
        work.run();
      }
    } finally {
      lock.unlock();
    }
  }
}
