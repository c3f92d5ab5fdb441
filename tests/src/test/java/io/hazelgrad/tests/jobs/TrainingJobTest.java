package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.EventJournalConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.EarlyStopping;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training jobs whose trainers live. */
final class TrainingJobTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final CurveFit MANY_STEPS = new CurveFit(1_000, -1);
  private static InProcessGrids grids;

  /** The result of the many steps if nothing disturbs them. */
  private static TrainingResult expected;

  @BeforeAll
  static void start() {
    grids = InProcessGrids.join("a", "b", "c");
    expected = jobs().start("undisturbed", MANY_STEPS, many()).await(DEADLINE);
  }

  @AfterAll
  static void stop() {
    grids.close();
  }

  @AfterEach
  void forgetJobs() {
    Pace.slow = false;
    TrainingJobs jobs = jobs();
    jobs.names().forEach(name -> jobs.find(name).forget());
  }

  private static TrainingJobs jobs() {
    return TrainingJobs.on(grids.grid("a"));
  }

  private static TrainingOptions.Builder options() {
    return TrainingOptions.builder().batch(16).epochs(3).deterministic(4).seed(5);
  }

  @Test
  void jobMakesAllStepsAndKeepsTheResult() {
    TrainingJob job = jobs().start("fit", new CurveFit(100, -1), options().build());
    TrainingResult result = job.await(DEADLINE);
    assertThat(result.step()).isEqualTo(21);
    assertThat(result.losses().toDoubles()).hasSize(21);
    assertThat(result.model()).containsOnlyKeys(new Curve().state().keySet());
    assertThat(result.work()).extracting(work -> work.worker()).containsExactly("a", "b", "c");
    assertThat(result.work().stream().mapToLong(work -> work.rows()).sum()).isEqualTo(300);
    assertThat(job.status().phase()).isEqualTo(Phase.COMPLETED);
    assertThat(job.status().step()).isEqualTo(21);
  }

  @Test
  void deterministicResultDoesNotDependOnTheTrainers() {
    CurveFit program = new CurveFit(100, -1);
    TrainingResult three = jobs().start("three", program, options().build()).await(DEADLINE);
    try (InProcessGrids one = InProcessGrids.join("solo")) {
      TrainingResult alone =
          TrainingJobs.on(one.grid("solo"))
              .start("alone", program, options().build())
              .await(DEADLINE);
      assertThat(three.model()).isEqualTo(alone.model());
      assertThat(three.losses()).isEqualTo(alone.losses());
    }
  }

  @Test
  void errorOfLossEndsTheJobWithItsText() {
    TrainingJob job = jobs().start("bad", new CurveFit(100, 17), options().build());
    assertThatThrownBy(() -> job.await(DEADLINE))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("training job bad failed: worker ")
        .hasMessageContaining("row 17 is bad");
    assertThat(job.status().phase()).isEqualTo(Phase.FAILED);
  }

  /** The journal's partitions are on all three members, and one of them reads all. */
  @Test
  void journalOfMapIsReadWhole() {
    HazelcastInstance hazelcast = grids.grid("a").hazelcast();
    hazelcast
        .getConfig()
        .addMapConfig(
            new MapConfig("numbers")
                .setEventJournalConfig(new EventJournalConfig().setEnabled(true)));
    IMap<Integer, Integer> map = hazelcast.getMap("numbers");
    for (int i = 0; i < 320; i++) {
      map.set(i, i);
    }
    TrainingOptions how = options().steps(20).snapshotEvery(Duration.ofMillis(50)).build();
    TrainingResult result = jobs().start("journal", new JournalFit("numbers"), how).await(DEADLINE);
    assertThat(result.step()).isEqualTo(20);
    assertThat(result.work().stream().mapToLong(work -> work.rows()).sum()).isEqualTo(320);
  }

  @Test
  void sourceThatSavesNothingIsRefused() {
    refuse(NumberStream.Saving.NOTHING, "the source numbers has sent rows, but saves nothing");
  }

  @Test
  void sourceIsRefusedWhenItsPositionCannotBeRead() {
    refuse(
        NumberStream.Saving.OWN_CLASS,
        "the position that the source has saved cannot be read again",
        NumberStream.Place.class.getName(),
        "add the class to java-serialization-filter");
  }

  private static void refuse(NumberStream.Saving saving, String... reasons) {
    TrainingOptions how = options().snapshotEvery(Duration.ofMillis(50)).build();
    TrainingJob job = jobs().start("refused", new NumberStream(saving), how);
    assertThatThrownBy(() -> job.await(DEADLINE)).hasMessageContainingAll(reasons);
  }

  /** More steps than a slow training makes while a test acts. */
  private static TrainingOptions many() {
    return options().epochs(6).snapshotEvery(Duration.ofMillis(100)).build();
  }

  private static void awaitStep(TrainingJob job, long step) {
    Await.until("step " + step, DEADLINE, () -> job.status().step() >= step);
  }

  @Test
  void suspendedJobGoesOn() {
    Pace.slow = true;
    TrainingJob job = jobs().start("fit", MANY_STEPS, many());
    awaitStep(job, 20);
    job.suspend();
    Await.until("it is suspended", DEADLINE, () -> job.status().phase() == Phase.SUSPENDED);
    job.resume();
    Pace.slow = false;
    TrainingResult result = job.await(DEADLINE);
    assertThat(result.recoveries()).allMatch(each -> each.repeated() == 0);
    assertThat(result.losses()).isEqualTo(expected.losses());
    assertThat(result.model()).isEqualTo(expected.model());
  }

  @Test
  void trainingGoesOnFromCheckpointFile(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("fit.safetensors");
    Pace.slow = true;
    TrainingJob job = jobs().start("fit", MANY_STEPS, many());
    Await.until("there is a snapshot", DEADLINE, () -> hasSnapshot(job));
    job.checkpoint().write(file);
    job.cancel();
    assertThat(job.status().phase()).isEqualTo(Phase.CANCELLED);
    job.forget();
    Pace.slow = false;
    TrainingResult result =
        jobs().start("again", MANY_STEPS, many(), Checkpoint.read(file)).await(DEADLINE);
    assertThat(result.model()).isEqualTo(expected.model());
    assertThat(result.losses().size()).isLessThan(expected.losses().size());
  }

  private static boolean hasSnapshot(TrainingJob job) {
    try {
      return job.checkpoint().extras() != null;
    } catch (GridException e) {
      return false; // Not yet.
    }
  }

  @Test
  void trainingEndsWithThatStepWhenItsFigureDoesNotBecomeBetter() {
    TrainingOptions how =
        options().evaluateEvery(10).earlyStopping(new EarlyStopping("constant", 1, true)).build();
    TrainingResult result = jobs().start("fit", new CurveFit(1_000, -1), how).await(DEADLINE);
    assertThat(result.step()).isEqualTo(20);
    assertThat(result.losses().size()).isEqualTo(20);
    assertThat(result.figures()).containsKey("error");
  }
}
