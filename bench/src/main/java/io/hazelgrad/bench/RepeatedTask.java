package io.hazelgrad.bench;

import java.util.concurrent.atomic.AtomicInteger;

/** Does something again and again on a thread of its own, until it is closed. */
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

  /** Returns how often it was done. */
  int count() {
    return count.get();
  }

  /** Waits for what is being done. */
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
