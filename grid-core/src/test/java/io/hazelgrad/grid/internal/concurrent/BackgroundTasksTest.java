package io.hazelgrad.grid.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Eventually;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundTasksTest {
  private final ExecutorService background = Executors.newCachedThreadPool();
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final AtomicInteger runs = new AtomicInteger();

  @AfterEach
  void end() {
    timer.shutdownNow();
    background.shutdownNow();
  }

  @Test
  void periodicWorkGoesOnWhenNoThreadCanBeStartedOnce() {
    AtomicInteger asked = new AtomicInteger();
    BackgroundTasks tasks =
        new BackgroundTasks(
            work -> {
              if (asked.incrementAndGet() == 1) {
                throw new LinkageError("no thread, for a test");
              }
              background.execute(work);
            },
            timer,
            () -> false);
    tasks.every(Duration.ofMillis(1), runs::incrementAndGet);
    Eventually.until("it runs again", () -> runs.get() > 1);
  }

  @Test
  void errorOfBackgroundWorkEndsNoThread() {
    BackgroundTasks tasks = new BackgroundTasks(background, timer, () -> false);
    tasks.guarded(
        () -> {
          runs.incrementAndGet();
          throw new LinkageError("for a test");
        });
    assertThat(runs).hasValue(1);
  }
}
