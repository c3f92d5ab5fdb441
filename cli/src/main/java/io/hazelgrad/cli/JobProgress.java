package io.hazelgrad.cli;

import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.grid.GridException;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** Shows the progress of a training job as a bar, if the standard error is a terminal. */
final class JobProgress implements AutoCloseable {
  private static final long PERIOD_MILLIS = 500;

  private final TrainingJob job;
  private final @Nullable ProgressBar bar;

  /** Starts its thread with its first task. */
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

  JobProgress(TrainingJob job) {
    this.job = job;
    this.bar = ProgressDisplay.bar(job.name(), -1);
    if (bar != null) {
      var unused =
          thread.scheduleWithFixedDelay(
              () -> show(bar), PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void show(ProgressBar shown) {
    try {
      TrainingStatus status = job.status();
      shown.maxHint(status.steps() == 0 ? -1 : status.steps());
      shown.stepTo(status.step());
      shown.setExtraMessage(
          String.format(
              Locale.ROOT,
              " %s, loss %.3f, %s",
              status.phase().toString().toLowerCase(Locale.ROOT),
              status.loss(),
              String.join(" ", status.trainers())));
    } catch (GridException e) {
      shown.setExtraMessage(" " + e.status());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    if (bar != null) {
      bar.close();
    }
  }
}
