package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.jobs.EarlyStopping;
import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training jobs that are interrupted end as if they had not been. */
final class TrainingJobLossTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final CurveFit PROGRAM = new CurveFit(1_000, -1);

  private static final NumberStream STREAM = new NumberStream(NumberStream.Saving.NUMBER);

  private static TrainingOptions.Builder options() {
    return TrainingOptions.builder()
        .batch(16)
        .epochs(40)
        .deterministic(3)
        .seed(5)
        .stepTimeout(Duration.ofSeconds(15))
        .snapshotEvery(Duration.ofMillis(100));
  }

  @AfterEach
  void speedUp() {
    Pace.slow = false;
  }

  /** Trains without interruptions, and quickly. */
  private static TrainingResult undisturbed(TrainingProgram<?, ?> program, TrainingOptions how) {
    Pace.slow = false;
    try (InProcessGrids grids = InProcessGrids.join("u")) {
      return TrainingJobs.on(grids.grid("u")).start("fit", program, how).await(DEADLINE);
    }
  }

  private static void awaitStep(TrainingJob job, long step) {
    Await.until(
        DEADLINE,
        () -> {
          long made = job.status().step();
          return made >= step ? "" : "step " + made + " of " + step;
        });
  }

  private static void awaitRestarts(TrainingJob job, long count) {
    Await.until("the job has gone on", DEADLINE, () -> job.status().restarts() >= count);
  }

  private static void awaitBackups(Grid grid) {
    Await.until(
        "there are backups of all partitions",
        DEADLINE,
        () -> grid.hazelcast().getPartitionService().isClusterSafe());
  }

  private static void assertSame(TrainingResult result, TrainingResult expected) {
    assertThat(result.step()).isEqualTo(expected.step());
    assertThat(result.losses()).isEqualTo(expected.losses());
    assertThat(result.model()).isEqualTo(expected.model());
  }

  @Test
  void trainersThatAreKilledAndComeBackChangeNothing() {
    Pace.slow = true;
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c", "d")) {
      TrainingJob job = TrainingJobs.on(grids.grid("d")).start("fit", PROGRAM, options().build());
      awaitStep(job, 100);
      grids.kill("a"); // The coordinator, the sequencer and the first trainer.
      awaitRestarts(job, 1);
      var unused = grids.add("a");
      Await.until("worker a trains", DEADLINE, () -> job.status().trainers().contains("a"));
      awaitStep(job, job.status().step() + 50); // A snapshot knows that it does.
      awaitBackups(grids.grid("d"));
      grids.kill("b");
      Pace.slow = false;
      TrainingResult result = job.await(DEADLINE);
      assertThat(result.recoveries()).extracting(Recovery::lost).contains(List.of("a"));
      assertThat(result.recoveries()).extracting(Recovery::joined).contains(List.of("a"));
      assertSame(result, undisturbed(PROGRAM, options().build()));
    }
  }

  @Test
  void streamIsReadOnWhereTheSnapshotWas() {
    Pace.slow = true;
    TrainingOptions how = options().steps(1_000).build();
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c", "d")) {
      TrainingJob job = TrainingJobs.on(grids.grid("d")).start("fit", STREAM, how);
      awaitStep(job, 50);
      grids.kill("a");
      Pace.slow = false;
      TrainingResult result = job.await(DEADLINE);
      assertThat(job.status().phase()).isEqualTo(Phase.COMPLETED);
      assertSame(result, undisturbed(STREAM, how));
    }
  }

  @Test
  void jobWaitsForItsMinimumOfTrainers() {
    Pace.slow = true;
    TrainingOptions how = options().minTrainers(2).build();
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c")) {
      TrainingJobs jobs = TrainingJobs.on(grids.grid("c"));
      TrainingJob job = jobs.start("fit", PROGRAM, how);
      awaitStep(job, 50);
      grids.kill("a");
      awaitRestarts(job, 1);
      awaitBackups(grids.grid("c"));
      grids.kill("b");
      Await.until("the job waits", DEADLINE, () -> job.status().phase() == Phase.WAITING);
      assertThat(job.status().message()).contains("1 of at least 2 are there, [c]");
      var unused = grids.add("e");
      Pace.slow = false;
      assertSame(job.await(DEADLINE), undisturbed(PROGRAM, options().build()));
    }
  }

  @Test
  void suspendedJobGoesOn() {
    Pace.slow = true;
    try (InProcessGrids grids = InProcessGrids.join("a", "b")) {
      TrainingJob job = TrainingJobs.on(grids.grid("a")).start("fit", PROGRAM, options().build());
      awaitStep(job, 100);
      job.suspend();
      Await.until("it is suspended", DEADLINE, () -> job.status().phase() == Phase.SUSPENDED);
      job.resume();
      Pace.slow = false;
      assertSame(job.await(DEADLINE), undisturbed(PROGRAM, options().build()));
    }
  }

  @Test
  void trainingGoesOnFromCheckpointFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("fit.safetensors");
    TrainingResult expected = undisturbed(PROGRAM, options().build());
    Pace.slow = true;
    try (InProcessGrids grids = InProcessGrids.join("a", "b")) {
      TrainingJobs jobs = TrainingJobs.on(grids.grid("a"));
      TrainingJob job = jobs.start("fit", PROGRAM, options().build());
      awaitStep(job, 100);
      job.checkpoint().write(file);
      job.cancel();
      assertThat(job.status().phase()).isEqualTo(Phase.CANCELLED);
      job.forget();
      Pace.slow = false;
      TrainingResult result =
          jobs.start("again", PROGRAM, options().build(), Checkpoint.read(file)).await(DEADLINE);
      assertThat(result.model()).isEqualTo(expected.model());
      assertThat(result.losses().size()).isLessThan(expected.losses().size());
    }
  }

  @Test
  void trainingEndsEarlyWhenItsFigureDoesNotBecomeBetter() {
    TrainingOptions how =
        options()
            .evaluateEvery(10)
            .earlyStopping(new EarlyStopping("error", 1, true)) // The error falls.
            .build();
    try (InProcessGrids grids = InProcessGrids.join("a", "b")) {
      TrainingResult result =
          TrainingJobs.on(grids.grid("a")).start("fit", PROGRAM, how).await(DEADLINE);
      assertThat(result.losses().size()).isLessThan(1_000);
      assertThat(result.figures()).containsKey("error");
    }
  }
}
