package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.LinkQuality;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A training whose workers get into trouble, one after the other, ends with the bits of an
 * undisturbed one of as many steps, and each row counts once.
 *
 * <p>The troubles last {@code -Dchaos.seconds}, 60 by default. Their seed is {@code -Dchaos.seed}.
 */
@Tag("slow")
final class TrainingChaosTest {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final long SECONDS = Long.getLong("chaos.seconds", 60);
  private static final long SEED = Long.getLong("chaos.seed", 1);
  private static final List<String> WORKERS = List.of("A", "B", "C");
  private static final int BATCH = 16;
  private static final int ROWS = 20 * BATCH;

  /** More than the steps of any run; the test ends the training. */
  private static final int ENDLESS = 1_000_000;

  /** More steps than a training makes when a trainer is frozen or cut off from another one. */
  private static final int UNDISTURBED = 100;

  /** The packets of both directions are late, some of them are lost, and some overtake others. */
  private static final LinkQuality POOR =
      LinkQuality.PERFECT.withLoss(0.01).withDelay(Duration.ofMillis(20), Duration.ofMillis(5));

  /** The troubles that a worker gets into. */
  private enum Trouble {
    KILL,
    FREEZE,
    CUT_OFF,
    CUT_FROM_ONE,
    CUT_ONE_WAY,
    POOR_LINKS
  }

  private static TrainingOptions options(long steps) {
    return TrainingOptions.builder()
        .batch(BATCH)
        .epochs(ENDLESS)
        .steps(steps)
        .deterministic(4)
        .seed(SEED)
        .stepTimeout(Duration.ofSeconds(15))
        .snapshotEvery(Duration.ofMillis(200))
        .build();
  }

  @Test
  void rowsCountOnceWhenWorkersAreKilledAndFrozenInTurn() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").start()) {
      disturbAndCompare(cluster, Trouble.KILL, Trouble.FREEZE);
    }
  }

  @Test
  void rowsCountOnceWhenHostsAreKilledFrozenAndCutOffInTurn() {
    String reason = JvmCluster.hostsUnavailable();
    assumeTrue(reason.isEmpty(), reason);
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").hosts().start()) {
      disturbAndCompare(cluster, Trouble.values());
    }
  }

  /**
   * Neither of the two is lost, and they notice the cut a minute after the oldest member, which
   * resumes trainings otherwise.
   */
  @Test
  void trainingGoesOnWhenCutBetweenTwoTrainersHeals() {
    String reason = JvmCluster.hostsUnavailable();
    assumeTrue(reason.isEmpty(), reason);
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").hosts().start()) {
      DelayedFit program = new DelayedFit(ROWS, BATCH);
      TrainingJob job = TrainingJobs.on(cluster.grid()).start("cut", program, options(0));
      awaitSteps(job, 20);
      cluster.cut("C", JvmCluster.DRIVER);
      Job jet = Objects.requireNonNull(cluster.grid().hazelcast().getJet().getJob("cut"));
      Await.until("Jet gives up", DEADLINE, () -> jet.getStatus() == JobStatus.SUSPENDED);
      cluster.heal();
      awaitSteps(job, 200);
      job.forget();
    }
  }

  private static void disturbAndCompare(JvmCluster cluster, Trouble... kinds) {
    DelayedFit program = new DelayedFit(ROWS, BATCH);
    TrainingJob begun = TrainingJobs.on(cluster.grid()).start("chaos", program, options(0));
    Map<Trouble, Integer> troubles = disturb(cluster, begun, kinds);
    // The driver may have been fenced and have joined anew, so services are got anew.
    TrainingJobs jobs = TrainingJobs.on(cluster.grid());
    TrainingJob job = Objects.requireNonNull(jobs.find("chaos"));
    job.suspend();
    TrainingStatus status = job.status();
    Checkpoint disturbed = job.checkpoint();
    job.forget();
    long steps = disturbed.extras().get("training.step").toLongs()[0];
    System.out.printf(
        "seed %d: %s, %d restarts, %d steps, %d of them repeated%n",
        SEED, troubles, status.restarts(), steps, status.repeated());
    TrainingJob calm = jobs.start("calm", program, options(steps));
    TrainingResult undisturbed = calm.await(DEADLINE.plusSeconds(3 * SECONDS));
    assertThat(status.restarts()).as("seed %d", SEED).isPositive();
    assertThat(disturbed.parameters())
        .as("seed %d", SEED)
        .isEqualTo(calm.checkpoint().parameters());
    double[] counts = CountedCurve.counts(undisturbed.model());
    long epochs = steps * BATCH / ROWS;
    assertThat(Arrays.stream(counts).sum()).as("seed %d", SEED).isEqualTo((double) (steps * BATCH));
    assertThat(Arrays.stream(counts).boxed().toList())
        .as("seed %d", SEED)
        .isSubsetOf((double) epochs, epochs + 1.0);
  }

  /** Makes troubles until the time is over; returns how many of each kind there were. */
  private static Map<Trouble, Integer> disturb(
      JvmCluster cluster, TrainingJob job, Trouble... kinds) {
    SplittableRandom random = new SplittableRandom(SEED);
    long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
    Map<Trouble, Integer> troubles = new EnumMap<>(Trouble.class);
    awaitSteps(job, 1);
    Await.until("all train", DEADLINE, () -> allTrain(statusOf(job)));
    while (System.nanoTime() < end) {
      Trouble kind = kinds[random.nextInt(kinds.length)];
      String victim = WORKERS.get(random.nextInt(WORKERS.size()));
      List<String> others =
          Stream.concat(WORKERS.stream(), Stream.of(JvmCluster.DRIVER))
              .filter(name -> !name.equals(victim))
              .toList();
      begin(kind, victim, others, others.get(random.nextInt(others.size())), cluster);
      awaitEffect(kind, random.nextInt(3), victim, cluster, job);
      end(kind, victim, cluster);
      troubles.merge(kind, 1, Integer::sum);
      cluster.awaitPeace();
      Await.until("there are backups", DEADLINE, () -> isSafe(cluster));
      awaitSteps(job, 1); // The status may be older than the trouble.
      Await.until("all train again", DEADLINE, () -> allTrain(statusOf(job)));
    }
    return troubles;
  }

  private static void begin(
      Trouble kind, String victim, List<String> others, String other, JvmCluster cluster) {
    switch (kind) {
      case KILL -> cluster.kill(victim);
      case FREEZE -> cluster.freeze(victim);
      case CUT_OFF -> others.forEach(each -> cluster.cut(victim, each));
      case CUT_FROM_ONE -> cluster.cut(victim, other);
      case CUT_ONE_WAY -> cluster.cutOneWay(victim, other);
      case POOR_LINKS -> others.forEach(each -> cluster.link(victim, each, POOR));
    }
  }

  /** Waits for less than others notice, or until the victim is given up. */
  private static void awaitEffect(
      Trouble kind, int length, String victim, JvmCluster cluster, TrainingJob job) {
    switch (kind) {
      case KILL -> {}
      case POOR_LINKS -> awaitSteps(job, 20L * length);
      case CUT_FROM_ONE, CUT_ONE_WAY -> awaitStall(job, length);
      case FREEZE, CUT_OFF -> {
        if (length < 2) {
          awaitStall(job, length);
        } else {
          Await.until(
              victim + " is given up",
              DEADLINE,
              () ->
                  cluster.grid().workers().stream().noneMatch(each -> each.name().equals(victim)));
        }
      }
    }
  }

  private static void end(Trouble kind, String victim, JvmCluster cluster) {
    switch (kind) {
      case KILL -> cluster.start(victim);
      case FREEZE -> cluster.thaw(victim);
      case CUT_OFF, CUT_FROM_ONE, CUT_ONE_WAY, POOR_LINKS -> cluster.heal();
    }
  }

  /**
   * Waits until no step was made for about as many seconds, or until the training has gone on
   * without a worker: the status cannot be read before that, if the victim keeps it. A read that
   * fails took longer than such a stall. A cut from the driver disturbs no trainer, so many steps
   * end the wait, too.
   */
  private static void awaitStall(TrainingJob job, int seconds) {
    long[] seen = {-1, 0};
    long[] first = {-1};
    Await.until(
        "training stands still, or is not disturbed",
        DEADLINE,
        () -> {
          TrainingStatus status = statusOf(job);
          if (status == null || !allTrain(status)) {
            return true;
          }
          seen[1] = status.step() == seen[0] ? seen[1] + 1 : 0;
          seen[0] = status.step();
          first[0] = first[0] < 0 ? status.step() : first[0];
          return seen[1] > 20L * seconds || status.step() > first[0] + UNDISTURBED;
        });
  }

  /** Waits until the job has made some steps from now on. */
  private static void awaitSteps(TrainingJob job, long steps) {
    long[] from = {-1};
    Await.until(
        DEADLINE,
        () -> {
          long made = stepOf(job);
          from[0] = from[0] < 0 ? made : from[0];
          return from[0] >= 0 && made >= from[0] + steps
              ? ""
              : "training goes on: step %d of %d".formatted(made, from[0] + steps);
        });
  }

  private static long stepOf(TrainingJob job) {
    TrainingStatus status = statusOf(job);
    return status == null ? -1 : status.step();
  }

  /** A worker that does not train yet disturbs nobody. */
  private static boolean allTrain(@Nullable TrainingStatus status) {
    return status != null && status.trainers().containsAll(WORKERS);
  }

  /** Returns the status, or null while the victim keeps it. */
  private static @Nullable TrainingStatus statusOf(TrainingJob job) {
    try {
      TrainingStatus status = job.status();
      assertThat(status.phase()).as(status.message()).isNotIn(Phase.FAILED, Phase.CANCELLED);
      return status;
    } catch (GridException e) {
      return null;
    }
  }

  private static boolean isSafe(JvmCluster cluster) {
    return cluster.grid().hazelcast().getPartitionService().isClusterSafe();
  }
}
