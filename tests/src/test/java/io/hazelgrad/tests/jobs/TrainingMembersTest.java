package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that come and go beside a training, with real processes. */
@Tag("slow")
final class TrainingMembersTest {
  private static final String ROLE = "trainers";
  private static final Duration DEADLINE = Duration.ofMinutes(4);
  private static final int BATCH = 16;
  private static final int ROWS = 20 * BATCH;

  @TempDir private Path folder;

  private static TrainingOptions options(long steps) {
    return TrainingOptions.builder()
        .batch(BATCH)
        .epochs(1_000_000) // The test ends the training.
        .steps(steps)
        .deterministic(2)
        .role(ROLE)
        .stepTimeout(Duration.ofSeconds(15))
        .snapshotEvery(Duration.ofMillis(200))
        .build();
  }

  private GatedFit program() {
    return new GatedFit(ROWS, BATCH, folder.resolve("closed").toString());
  }

  /** Neither the test's own JVM nor N has the role. N has an idle part of the job at first. */
  @Test
  void trainingGoesOnWhenMembersWithoutTheRoleLeaveJoinAndAreKilled() {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B", "N").roles("A", ROLE).roles("B", ROLE).start()) {
      TrainingJob job = TrainingJobs.on(cluster.grid()).start("fit", program(), options(0));
      awaitSteps(job, 1);
      restartsAfter(job, () -> cluster.stop("N"));
      long restarts = job.status().restarts();
      cluster.start("N");
      awaitSteps(job, 10);
      cluster.kill("N");
      awaitSteps(job, 10);
      assertThat(job.status().restarts()).isEqualTo(restarts);
      assertThat(job.status().trainers()).containsExactly("A", "B");
      assertSameAsUndisturbed(cluster, job);
    }
  }

  @Test
  void trainingGoesOnWithoutNewcomersThatAreFrozenOrStillReadTheirData() throws IOException {
    Path closed = folder.resolve("closed");
    try (JvmCluster cluster =
        JvmCluster.workers("A").roles("A", ROLE).roles("F", ROLE).roles("S", ROLE).start()) {
      TrainingJob job = TrainingJobs.on(cluster.grid()).start("fit", program(), options(0));
      awaitSteps(job, 1);
      Files.createFile(closed); // S waits for its removal while it opens the data set.
      cluster.start("S");
      awaitSteps(job, 10);
      cluster.start("F");
      cluster.freeze("F");
      awaitSteps(job, 10);
      assertThat(job.status().trainers()).containsExactly("A");
      cluster.kill("F");
      awaitSteps(job, 10);
      Files.delete(closed);
      Await.until("S trains", DEADLINE, () -> job.status().trainers().contains("S"));
      assertSameAsUndisturbed(cluster, job);
    }
  }

  /** Ends the job, and makes as many steps again. */
  private void assertSameAsUndisturbed(JvmCluster cluster, TrainingJob job) {
    awaitSteps(job, 1);
    job.suspend();
    Checkpoint disturbed = job.checkpoint();
    job.forget();
    long steps = disturbed.extras().get("training.step").toLongs()[0];
    TrainingJob calm = TrainingJobs.on(cluster.grid()).start("calm", program(), options(steps));
    TrainingResult undisturbed = calm.await(DEADLINE);
    assertThat(disturbed.parameters()).isEqualTo(calm.checkpoint().parameters());
    double rows = Arrays.stream(CountedCurve.counts(undisturbed.model())).sum();
    assertThat(rows).isEqualTo((double) (steps * BATCH));
  }

  private static void awaitSteps(TrainingJob job, long more) {
    long from = job.status().step();
    Await.until(
        DEADLINE,
        () -> {
          long made = job.status().step();
          return made >= from + more ? "" : "step %d of %d".formatted(made, from + more);
        });
  }

  /** Waits until a change of the members has restarted the job, and it has made steps since. */
  private static void restartsAfter(TrainingJob job, Runnable change) {
    long before = job.status().restarts();
    change.run();
    Await.until("the job was restarted", DEADLINE, () -> job.status().restarts() > before);
    awaitSteps(job, 10);
  }
}
