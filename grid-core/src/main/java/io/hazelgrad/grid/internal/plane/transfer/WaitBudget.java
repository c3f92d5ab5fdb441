package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long the thread that reads a message waits for a tensor of it: until the call ends, for
 * whatever reason, or the thread is interrupted. Used by that thread.
 */
public final class WaitBudget {
  /** How often a wait looks whether it shall end. */
  public static final long LOOK_MILLIS = 50;

  private final Worker sender;
  private final LongSupplier remaining;

  /**
   * Makes one.
   *
   * @param remaining nanoseconds until the call's end, MAX_VALUE for none; 0 or less ends the wait
   */
  public WaitBudget(Worker sender, LongSupplier remaining) {
    this.sender = sender;
    this.remaining = remaining;
  }

  public Worker sender() {
    return sender;
  }

  public long remainingNanos() {
    return remaining.getAsLong();
  }

  /**
   * Looks whether the wait shall end.
   *
   * @throws GridException TIMEOUT if the call has ended; CANCELLED if the thread is interrupted
   */
  public void check() {
    if (Thread.currentThread().isInterrupted()) {
      throw new GridException(
          Status.CANCELLED,
          "interrupted while a tensor from worker " + sender.name() + " was arriving");
    }
    if (remaining.getAsLong() <= 0) {
      throw new GridException(
          Status.TIMEOUT,
          "the call ended while a tensor from worker " + sender.name() + " was arriving");
    }
  }

  /**
   * Waits for permits.
   *
   * @param look what else may end the wait, by throwing
   */
  public void acquire(Semaphore semaphore, int permits, Runnable look) {
    try {
      do {
        look.run();
        check();
      } while (!semaphore.tryAcquire(permits, LOOK_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      check();
    }
  }
}
