package io.hazelgrad.grid.internal.concurrent;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.internal.runtime.GridThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a grid does in the background, once or again and again. A chore that throws is logged, and
 * disturbs no other. Threads: safe.
 */
public final class BackgroundTasks {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final GridThreads threads;
  private final BooleanSupplier closing;
  private final List<Runnable> periodic = new CopyOnWriteArrayList<>();

  /**
   * Makes the chores of a grid.
   *
   * @param closing whether the grid ends, so that failures are to be expected
   */
  public BackgroundTasks(GridThreads threads, BooleanSupplier closing) {
    this.threads = threads;
    this.closing = closing;
  }

  /** Does something once, on a thread of the background. */
  public void run(Runnable work) {
    try {
      threads.background().execute(() -> guarded(work));
    } catch (RejectedExecutionException e) {
      LOG.debug("not run, because the grid is closing", e);
    }
  }

  /** Does something in the background after each period. */
  public void every(Duration period, Runnable work) {
    periodic.add(work);
    long millis = Math.max(1, period.toMillis());
    var unused =
        threads
            .timer()
            .scheduleWithFixedDelay(() -> run(work), millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Does everything periodic now, once. */
  public void runPeriodic() {
    periodic.forEach(this::run);
  }

  /** Does something on this thread. */
  public void guarded(Runnable work) {
    try {
      work.run();
    } catch (HazelcastInstanceNotActiveException e) {
      LOG.debug("Hazelcast has ended", e);
    } catch (RuntimeException e) {
      if (closing.getAsBoolean()) {
        LOG.debug("failed while the grid was closing", e);
      } else {
        LOG.warn("background work failed; it is tried again later", e);
      }
    }
  }
}
