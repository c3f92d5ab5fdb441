package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic of a real broker is trained on while the trainer that reads it is killed. */
@Tag("slow")
final class KafkaTrainingTest {
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  private static final int BATCH = 16;
  private static final int STEPS = 400;
  private static final int ROWS = STEPS * BATCH;
  private static final TrainingOptions OPTIONS =
      TrainingOptions.builder()
          .batch(BATCH)
          .steps(STEPS)
          .deterministic(4)
          .stepTimeout(Duration.ofSeconds(15))
          .snapshotEvery(Duration.ofMillis(100))
          .build();

  @TempDir private static Path folder;
  private static KafkaBroker broker;

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start(folder);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  /** Trains, and kills the first trainer, which reads the topic, after the first snapshot. */
  private static TrainingResult train(JvmCluster cluster, KafkaFit program, boolean kills) {
    TrainingJob job = TrainingJobs.on(cluster.grid()).start("kafka", program, OPTIONS);
    if (kills) {
      Await.until("there is a snapshot", DEADLINE, () -> hasSnapshot(job));
      cluster.kill("A");
    }
    TrainingResult result = job.await(DEADLINE);
    job.forget();
    return result;
  }

  private static boolean hasSnapshot(TrainingJob job) {
    try {
      return job.checkpoint().extras() != null;
    } catch (GridException e) {
      return false; // Not yet.
    }
  }

  @Test
  void topicCountsOnceInItsOrderWhenTheFirstTrainerIsKilled() throws Exception {
    broker.fill("one", 1, ROWS);
    KafkaFit program = new KafkaFit(broker.bootstrap(), "one", ROWS, BATCH);
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").start()) {
      TrainingResult undisturbed = train(cluster, program, false);
      TrainingResult result = train(cluster, program, true);
      assertThat(result.recoveries())
          .anyMatch(each -> each.lost().equals(List.of("A")) && each.step() > 0);
      assertThat(CountedCurve.counts(result.model())).containsOnly(1);
      assertThat(result.losses()).isEqualTo(undisturbed.losses());
      assertThat(result.model()).isEqualTo(undisturbed.model());
    }
  }

  /** The order of rows between partitions is not fixed, so only the counts are. */
  @Test
  void topicOfThreePartitionsCountsOnceWhenTheFirstTrainerIsKilled() throws Exception {
    broker.fill("three", 3, ROWS);
    KafkaFit program = new KafkaFit(broker.bootstrap(), "three", ROWS, BATCH);
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C").start()) {
      TrainingResult result = train(cluster, program, true);
      assertThat(result.recoveries())
          .anyMatch(each -> each.lost().equals(List.of("A")) && each.step() > 0);
      assertThat(CountedCurve.counts(result.model())).containsOnly(1);
    }
  }
}
