package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A step before which a worker stops, so that exactly there a worker can be killed. A process
 * trains one model at a time. Threads: safe.
 */
@RemoteFunctions
final class KillPoint {
  private static final long PATIENCE_SECONDS = 60;

  private static volatile @Nullable KillPoint current;

  private final long step;
  private final CompletableFuture<Boolean> reached = new CompletableFuture<>();
  private final CountDownLatch released = new CountDownLatch(1);

  private KillPoint(long step) {
    this.step = step;
  }

  /** Lets this worker's training go on until a step; the call ends when it is there. */
  static CompletableFuture<Boolean> await(long step) {
    release();
    KillPoint point = new KillPoint(step);
    current = point;
    return point.reached;
  }

  /** Lets this worker's training go on; returns whether it had to be stopped still. */
  static boolean release() {
    KillPoint point = current;
    if (point == null) {
      return false;
    }
    current = null;
    point.released.countDown();
    return point.reached.complete(false);
  }

  /** Waits if this step or an earlier one is a point where a worker is to be killed. */
  static void reach(long step) {
    KillPoint point = current;
    if (point == null || step < point.step) {
      return;
    }
    point.reached.complete(true);
    try {
      if (!point.released.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new GridException(
            Status.TIMEOUT,
            "nobody was killed within %d s at step %d".formatted(PATIENCE_SECONDS, step));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GridException(Status.CANCELLED, "the wait at step " + step + " was interrupted", e);
    }
  }
}
