package io.hazelgrad.bench;

import java.util.concurrent.atomic.AtomicInteger;

/** Repeats a task on a thread of its own until it is closed. */
final class RepeatedTask implements AutoCloseable {
  private final AtomicInteger count = new AtomicInteger();
  private final Thread thread;
  private volatile boolean over;

  RepeatedTask(Runnable work) {
    thread =
        new Thread(
            () -> {
              while (!over) {
                work.run();
                count.incrementAndGet();
              }
            },
            "bench-beside");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the number of runs that have ended. */
  int count() {
    return count.get();
  }

  /** Waits for the end of the current run. */
  @Override
  public void close() {
    over = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
