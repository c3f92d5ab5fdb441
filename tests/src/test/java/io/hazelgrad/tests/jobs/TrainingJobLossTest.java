package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.jobs.Recovery;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Training jobs that are interrupted end as if they had not been. */
final class TrainingJobLossTest {
  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final CurveFit PROGRAM = new CurveFit(1_000, -1);

  /** The result of the program on one worker that nothing disturbs, made once. */
  private static TrainingResult expected;

  private static final NumberStream STREAM = new NumberStream(NumberStream.Saving.NUMBER);

  private static TrainingOptions.Builder options() {
    return TrainingOptions.builder()
        .batch(16)
        .epochs(16)
        .deterministic(3)
        .seed(5)
        .stepTimeout(Duration.ofSeconds(15))
        .snapshotEvery(Duration.ofMillis(100));
  }

  @AfterEach
  void speedUp() {
    Pace.slow = false;
  }

  @BeforeAll
  static void trainUndisturbed() {
    expected = undisturbed(PROGRAM, options().build());
  }

  private static TrainingResult undisturbed(TrainingProgram<?, ?> program, TrainingOptions how) {
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

  /** Waits until the job has gone on without a worker, and a snapshot knows that. */
  private static void awaitSnapshotWithout(String lost, TrainingJob job) {
    Await.until(
        "the job has gone on",
        DEADLINE,
        () -> job.status().restarts() > 0 && !job.status().trainers().contains(lost));
    awaitSnapshotAfter(job, job.status().step());
  }

  private static void awaitSnapshotAfter(TrainingJob job, long step) {
    Await.until(
        "a snapshot has step " + step,
        DEADLINE,
        () -> job.checkpoint().extras().get("training.step").toLongs()[0] >= step);
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

  /** Two trainings, of a data set and of a stream, live through the same deaths. */
  @Test
  void trainersThatAreKilledAndComeBackChangeNothing() {
    TrainingOptions streamed = options().steps(500).build();
    TrainingResult expectedOfStream = undisturbed(STREAM, streamed);
    Pace.slow = true;
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c", "d");
        GridClient client = grids.client("observer")) {
      // The submitter, the coordinator, and the member of the sequencers and the first trainers.
      TrainingJobs submitter = TrainingJobs.on(grids.grid("a"));
      var unused = submitter.start("fit", PROGRAM, options().build());
      var unusedStream = submitter.start("stream", STREAM, streamed);
      TrainingJob job = TrainingJobs.on(client).find("fit");
      TrainingJob stream = TrainingJobs.on(client).find("stream");
      awaitStep(job, 20);
      awaitStep(stream, 20);
      grids.kill("a");
      awaitSnapshotWithout("a", job);
      Grid again = grids.add("a");
      Await.until("worker a trains", DEADLINE, () -> job.status().trainers().contains("a"));
      awaitSnapshotAfter(job, job.status().step());
      awaitBackups(again);
      String holder = holderOfSnapshot("fit", grids);
      grids.kill(holder);
      Pace.slow = false;
      TrainingResult result = job.await(DEADLINE);
      assertThat(result.recoveries()).extracting(Recovery::lost).contains(List.of("a"));
      assertThat(result.recoveries()).extracting(Recovery::joined).contains(List.of("a"));
      assertThat(result.recoveries())
          .filteredOn(each -> each.repeated() != 1) // The first step after a start has no time.
          .allMatch(each -> (each.repeated() > 0) == (each.repeatedSeconds() > 0));
      assertSame(result, expected);
      assertSame(stream.await(DEADLINE), expectedOfStream);
      assertThat(stream.status().phase()).isEqualTo(Phase.COMPLETED);
    }
  }

  /** Returns the worker on the member that stores the head of a job's snapshot. */
  private static String holderOfSnapshot(String job, InProcessGrids grids) {
    UUID owner =
        grids
            .grid("a")
            .hazelcast()
            .getPartitionService()
            .getPartition(job + "/head")
            .getOwner()
            .getUuid();
    return Stream.of("a", "b", "c", "d")
        .filter(
            name ->
                grids.grid(name).hazelcast().getCluster().getLocalMember().getUuid().equals(owner))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Tag("slow")
  void jobWaitsForItsMinimumOfTrainers() {
    Pace.slow = true;
    TrainingOptions how = options().minTrainers(2).build();
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c")) {
      TrainingJobs jobs = TrainingJobs.on(grids.grid("c"));
      TrainingJob job = jobs.start("fit", PROGRAM, how);
      awaitStep(job, 20);
      grids.kill("a");
      awaitSnapshotWithout("a", job);
      awaitBackups(grids.grid("c"));
      grids.kill("b");
      Await.until("the job waits", DEADLINE, () -> job.status().phase() == Phase.WAITING);
      assertThat(job.status().message()).contains("1 of at least 2 are there, [c]");
      var unused = grids.add("e");
      Pace.slow = false;
      assertSame(job.await(DEADLINE), expected);
    }
  }

  @Test
  @Tag("slow")
  void suspendedJobStaysSoWhenItsCoordinatorIsLost() {
    Pace.slow = true;
    try (InProcessGrids grids = InProcessGrids.join("a", "b", "c")) {
      Grid other = grids.grid("c");
      TrainingJob job = TrainingJobs.on(other).start("fit", PROGRAM, options().build());
      awaitStep(job, 20);
      job.suspend();
      long step = job.status().step();
      grids.kill("a");
      awaitBackups(other);
      Await.until("it is suspended", DEADLINE, () -> job.status().phase() == Phase.SUSPENDED);
      assertThat(job.status().step()).isEqualTo(step);
      Pace.slow = false;
      job.resume();
      TrainingResult result = job.await(DEADLINE);
      assertThat(result.recoveries()).allMatch(each -> each.repeated() == 0);
      assertSame(result, expected);
    }
  }
}
