package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A training whose worker processes are killed and frozen, one after the other, ends with the bits
 * of an undisturbed one, and each row counts once.
 *
 * <p>It lasts {@code -Dchaos.seconds}, 60 by default. The seed of its troubles is {@code
 * -Dchaos.seed}.
 */
@Tag("slow")
final class TrainingChaosTest {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final long SECONDS = Long.getLong("chaos.seconds", 60);
  private static final long SEED = Long.getLong("chaos.seed", 1);
  private static final List<String> WORKERS = List.of("A", "B", "C");
  private static final int BATCH = 16;

  /** One epoch is some seconds of steps, so the training ends soon after the troubles. */
  private static final int ROWS = 20 * BATCH;

  private static TrainingOptions options(int epochs) {
    return TrainingOptions.builder()
        .batch(BATCH)
        .epochs(epochs)
        .deterministic(4)
        .seed(SEED)
        .stepTimeout(Duration.ofSeconds(15))
        .snapshotEvery(Duration.ofMillis(200))
        .build();
  }

  @Test
  void rowsCountOnceWhenWorkersAreKilledAndFrozenInTurn() {
    // About 4 ms for a step, and more steps than the troubles leave time for.
    int epochs = (int) Math.max(20, SECONDS * 1_000 / 4 / (ROWS / BATCH));
    DelayedFit program = new DelayedFit(ROWS, BATCH);
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").start()) {
      TrainingJob job = TrainingJobs.on(cluster.grid()).start("chaos", program, options(epochs));
      int troubles = disturb(cluster, job);
      TrainingResult result = job.await(DEADLINE);
      job.forget();
      TrainingResult undisturbed =
          TrainingJobs.on(cluster.grid()).start("calm", program, options(epochs)).await(DEADLINE);
      System.out.printf(
          "%d troubles, %d recoveries, %d steps, %d of them repeated%n",
          troubles,
          result.recoveries().size(),
          result.step(),
          result.recoveries().stream().mapToLong(each -> each.repeated()).sum());
      assertThat(result.recoveries()).as("seed %d", SEED).isNotEmpty();
      assertThat(CountedCurve.counts(result.model())).as("seed %d", SEED).containsOnly(epochs);
      assertThat(result.model()).as("seed %d", SEED).isEqualTo(undisturbed.model());
    }
  }

  /** Makes troubles until the time is over or the training ends; returns how many there were. */
  private static int disturb(JvmCluster cluster, TrainingJob job) {
    SplittableRandom random = new SplittableRandom(SEED);
    long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
    int troubles = 0;
    while (System.nanoTime() < end && job.status().phase() != Phase.COMPLETED) {
      long made = job.status().step();
      String victim = WORKERS.get(random.nextInt(WORKERS.size()));
      troubles++;
      if (random.nextBoolean()) {
        cluster.kill(victim);
        cluster.start(victim);
      } else {
        cluster.freeze(victim);
        try { // For less than others notice, or for longer.
          awaitStall(job, random.nextInt(3));
        } finally {
          cluster.thaw(victim);
        }
      }
      cluster.awaitPeace();
      Await.until("there are backups", DEADLINE, () -> isSafe(cluster));
      Await.until("training goes on after step " + made, DEADLINE, () -> isPast(job, made));
    }
    return troubles;
  }

  /** Waits until the status has been the same for some of its periods. */
  private static void awaitStall(TrainingJob job, int periods) {
    long[] seen = {-1, 0};
    Await.until(
        "training stands still",
        DEADLINE,
        () -> {
          long step = stepOf(job);
          seen[1] = step == seen[0] ? seen[1] + 1 : 0;
          seen[0] = step;
          return seen[1] > 20L * periods;
        });
  }

  private static long stepOf(TrainingJob job) {
    try {
      return job.status().step();
    } catch (GridException e) {
      return -1; // The status was on the victim.
    }
  }

  private static boolean isPast(TrainingJob job, long step) {
    return stepOf(job) > step || job.status().phase() == Phase.COMPLETED;
  }

  private static boolean isSafe(JvmCluster cluster) {
    return cluster.grid().hazelcast().getPartitionService().isClusterSafe();
  }
}
