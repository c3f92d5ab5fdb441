package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time that a thread may wait for a tensor of the message that it reads: until the call ends
 * for any reason, or the thread is interrupted. Used by that thread only.
 */
public record WaitBudget(Worker sender, LongSupplier remaining) {
  /** The interval at which a waiting thread checks its budget. */
  public static final long CHECK_MILLIS = 50;

  /** Returns the time until the call's end, MAX_VALUE for none; 0 or less ends the wait. */
  public long remainingNanos() {
    return remaining.getAsLong();
  }

  /** Throws TIMEOUT if the call has ended, CANCELLED if the thread is interrupted. */
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

  /** Waits for permits; {@code extraCheck} throws for another reason to end the wait. */
  public void acquire(Semaphore semaphore, int permits, Runnable extraCheck) {
    try {
      do {
        extraCheck.run();
        check();
      } while (!semaphore.tryAcquire(permits, CHECK_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      check();
    }
  }
}
