package io.hazelgrad.grid.internal.concurrent;

import com.hazelcast.core.HazelcastInstanceNotActiveException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The background work of a grid. A task that throws is logged. Threads: safe. */
public final class BackgroundTasks {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private final Executor background;
  private final ScheduledExecutorService timer;
  private final BooleanSupplier resting;
  private final List<Runnable> periodic = new CopyOnWriteArrayList<>();

  /**
   * Creates the tasks; {@code resting} says that the grid ends or is suspended. Then failures are
   * expected, and periodic work pauses.
   */
  public BackgroundTasks(
      Executor background, ScheduledExecutorService timer, BooleanSupplier resting) {
    this.background = background;
    this.timer = timer;
    this.resting = resting;
  }

  public void run(Runnable work) {
    try {
      background.execute(() -> guarded(work));
    } catch (RejectedExecutionException e) {
      LOG.debug("not run, because the grid is closing", e);
    }
  }

  public void every(Duration period, Runnable work) {
    Runnable unlessResting =
        () -> {
          if (!resting.getAsBoolean()) {
            work.run();
          }
        };
    periodic.add(unlessResting);
    long millis = Math.max(1, period.toMillis());
    Runnable start =
        () -> guarded(() -> run(unlessResting)); // An error, too, would end the repetition.
    var unused = timer.scheduleWithFixedDelay(start, millis, millis, TimeUnit.MILLISECONDS);
  }

  public void runPeriodic() {
    periodic.forEach(this::run);
  }

  public void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      if (resting.getAsBoolean()) {
        LOG.debug("failed while the grid was closing or suspended", e);
      } else {
        log("background work failed; it is tried again later", e);
      }
    }
  }

  /** Logs a failure of background work, as a warning unless Hazelcast has ended. */
  public static void log(String what, Throwable failure) {
    if (failure instanceof HazelcastInstanceNotActiveException) {
      LOG.debug("Hazelcast has ended", failure);
    } else {
      LOG.warn(what, failure);
    }
  }
}
