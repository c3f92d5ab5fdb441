package io.hazelgrad.tests.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MapStoreConfig;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.autograd.jobs.TrainingResult;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Training goes on from every snapshot to the same bits, and each row counts once, with random
 * delays between source, sequencer, trainers, snapshots and restarts.
 */
final class TrainingJobSnapshotTest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final String NAME = "fit";
  private static final int BATCH = 16;
  private static final int ROWS = 100 * BATCH;
  private static final int RESTARTS = 4;
  private static final TrainingOptions OPTIONS =
      TrainingOptions.builder()
          .batch(BATCH)
          .steps(ROWS / BATCH)
          .deterministic(4)
          .seed(5)
          .snapshotEvery(Duration.ofMillis(50))
          .stepTimeout(Duration.ofSeconds(15))
          .build();

  private static final RecordedMap SNAPSHOTS = new RecordedMap();
  private static InProcessGrids grids;

  @BeforeAll
  static void start() {
    MapStoreConfig store = new MapStoreConfig().setEnabled(true).setImplementation(SNAPSHOTS);
    grids =
        InProcessGrids.joinMembers(
            config ->
                config.addMapConfig(
                    new MapConfig("hazelgrad.training-snapshots").setMapStoreConfig(store)),
            "a",
            "b",
            "c");
    for (String worker : List.of("a", "b", "c")) {
      Faults.of(grids.grid(worker)).onAny().sometimes(0.2, 7).delay(Duration.ofMillis(2));
    }
  }

  @AfterAll
  static void stop() {
    grids.close();
  }

  static List<TrainingProgram<?, Integer>> programs() {
    return List.of(new DelayedFit(ROWS, BATCH), new DelayedStream(ROWS, BATCH));
  }

  private static TrainingJobs jobs() {
    return TrainingJobs.on(grids.grid("a"));
  }

  private static Job jet() {
    return grids.grid("a").hazelcast().getJet().getJob(NAME);
  }

  private static void awaitStatus(JobStatus status) {
    Await.until(
        DEADLINE, () -> jet().getStatus() == status ? "" : "the job is " + jet().getStatus());
  }

  /** Trains, with restarts at random times; each restores the last snapshot. */
  private static TrainingResult train(TrainingProgram<?, ?> program, int restarts) {
    TrainingJob job = jobs().start(NAME, program, OPTIONS);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 1; i <= restarts; i++) {
      long step = (long) i * ROWS / BATCH / (restarts + 1) + random.nextInt(3);
      Await.until("step " + step, DEADLINE, () -> job.status().step() >= step);
      Await.until("Jet restarts the job", DEADLINE, TrainingJobSnapshotTest::restart);
    }
    TrainingResult result = job.await(DEADLINE);
    job.forget();
    return result;
  }

  /** Returns false if Jet refuses, as it does while the job starts or ends. */
  private static boolean restart() {
    try {
      jet().restart();
      return true;
    } catch (IllegalStateException e) {
      return jet().getStatus().isTerminal();
    }
  }

  /** Puts a content of the snapshots' map into the place of a job that begins; returns its end. */
  private static TrainingResult trainFrom(TrainingProgram<?, ?> program, Map<String, Object> from) {
    TrainingJob job = jobs().start(NAME, program, OPTIONS);
    awaitStatus(JobStatus.RUNNING);
    jet().suspend();
    awaitStatus(JobStatus.SUSPENDED);
    IMap<String, Object> map = grids.grid("a").hazelcast().getMap("hazelgrad.training-snapshots");
    map.keySet().forEach(map::delete);
    from.forEach(map::set);
    jet().resume();
    TrainingResult result = job.await(DEADLINE);
    job.forget();
    return result;
  }

  private static void assertSame(TrainingResult result, TrainingResult expected, Object from) {
    assertThat(CountedCurve.counts(result.model())).as("from %s", from).containsOnly(1);
    assertThat(result.model()).as("from %s", from).isEqualTo(expected.model());
    assertThat(result.losses()).as("from %s", from).isEqualTo(expected.losses());
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("programs")
  void rowsCountOnceWhenTheJobIsRestartedAgainAndAgain(TrainingProgram<?, Integer> program) {
    TrainingResult expected = train(program, 0);
    TrainingResult result = train(program, RESTARTS);
    assertThat(result.recoveries()).isNotEmpty();
    assertSame(result, expected, "restarts");
  }

  @Test
  void firstMiddleAndLastContentOfTheMapLeadToTheSameBits() {
    assertSameFrom(new DelayedFit(ROWS, BATCH), last -> IntStream.of(0, last / 2, last));
  }

  /** Trains from some contents of the map; the function gets the number of the last, from 0. */
  private static void assertSameFrom(
      TrainingProgram<?, Integer> program, IntFunction<IntStream> chosen) {
    int before = SNAPSHOTS.contents().size();
    TrainingResult expected = train(program, 0);
    List<Map<String, Object>> contents = SNAPSHOTS.contents();
    assertThat(contents).as("several snapshots").hasSizeGreaterThan(before + 5);
    chosen
        .apply(contents.size() - before - 1)
        .mapToObj(i -> contents.get(before + i))
        .forEach(each -> assertSame(trainFrom(program, each), expected, each.keySet()));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("programs")
  void everyContentOfTheMapLeadsToTheSameBits(TrainingProgram<?, Integer> program) {
    assertSameFrom(program, last -> IntStream.rangeClosed(0, last));
  }
}
