package io.hazelgrad.rref;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Does rounds one at a time: who wants one while one is going on lets that be followed by one. */
final class Rounds {
  private final BooleanSupplier running;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();

  /** Makes rounds that end when {@code running} says so. */
  Rounds(BooleanSupplier running) {
    this.running = running;
  }

  void run(Runnable round) {
    wanted.set(true);
    while (wanted.get() && lock.tryLock()) {
      try {
        while (wanted.getAndSet(false) && running.getAsBoolean()) {
          round.run();
        }
      } finally {
        lock.unlock();
      }
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
