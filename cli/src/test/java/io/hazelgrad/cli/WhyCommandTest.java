package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.autograd.jobs.TrainingJob;
import io.hazelgrad.autograd.jobs.TrainingJobs;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.cli.demo.PictureFit;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.waits.Diagnosis;
import io.hazelgrad.grid.waits.Finding;
import io.hazelgrad.grid.waits.Waits;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The answers of {@code why} about workers in processes of their own that are really stuck. */
@Timeout(240)
class WhyCommandTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration AT_LEAST = Duration.ofMillis(500);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static ClusterWithGuest both;
  private static LocalCluster cluster;
  private static Grid here;

  private final List<CompletableFuture<Boolean>> calls = new ArrayList<>();

  @BeforeAll
  static void start() {
    both = ClusterWithGuest.start(LocalCluster.Spec.of(List.of("A", "B")));
    cluster = both.cluster();
    here = both.here();
  }

  @AfterAll
  static void end() throws Exception {
    both.close();
  }

  private static String why(String... more) {
    List<String> args = new ArrayList<>(List.of("why", "--longer-than", "0.5"));
    args.addAll(List.of(more));
    CommandRun run = CommandRun.against(cluster, args.toArray(String[]::new));
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    return run.out();
  }

  /** Ends the calls of a story, also of one that failed: the next one starts with none. */
  @AfterEach
  void cancelCalls() {
    List<CompletableFuture<Boolean>> ended = List.copyOf(calls);
    calls.clear();
    ended.forEach(call -> call.cancel(true));
    await(seen -> seen.findings().isEmpty() && seen.steps().isEmpty());
  }

  /** Looks until the answer is as expected while no call has failed, and returns it. */
  private Diagnosis await(Predicate<Diagnosis> expected) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    Diagnosis seen = Waits.on(here).look(AT_LEAST);
    while (!expected.test(seen)) {
      assertThat(System.nanoTime()).as("it says %s", seen).isLessThan(end);
      calls.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
      LockSupport.parkNanos(PAUSE_NANOS);
      seen = Waits.on(here).look(AT_LEAST);
    }
    return seen;
  }

  /** Asks the command until its answer has all parts: the times of first steps say nothing. */
  private String awaitSaid(String... parts) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    String said = why();
    while (!Stream.of(parts).allMatch(said::contains) && System.nanoTime() < end) {
      calls.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
      said = why();
    }
    assertThat(said).contains(parts);
    return said;
  }

  private static Predicate<Diagnosis> has(Finding.Kind kind) {
    return seen -> seen.findings().stream().anyMatch(it -> it.kind() == kind);
  }

  private static List<String> lines(Diagnosis seen, Finding.Kind kind) {
    return seen.findings().stream()
        .filter(it -> it.kind() == kind)
        .flatMap(it -> it.lines().stream())
        .toList();
  }

  @Test
  void locksOnTwoWorkersAreNamedAsDeadlock() throws Exception {
    calls.add(here.rpc().async("A", Stuck::takeBothLocks, "B"));
    calls.add(here.rpc().async("B", Stuck::takeBothLocks, "A"));
    await(has(Finding.Kind.DEADLOCK));
    String said = why();
    assertThat(said)
        .startsWith("DEADLOCK for ")
        .contains("wait for each other and cannot go on")
        .contains("A waits for io.hazelgrad.cli.Stuck::takeLock() on B")
        .contains("B waits for io.hazelgrad.cli.Stuck::takeLock() on A")
        .contains("for a lock (java.lang.Object) that thread");
    JsonNode json = JSON.readTree(why("--json"));
    assertThat(json.at("/findings/0/kind").asText()).isEqualTo("DEADLOCK");
    assertThat(json.at("/findings/0/workers")).hasSize(2);
  }

  @Test
  void collectivesInOppositeOrderAreNamedAsDeadlock() {
    calls.add(here.rpc().async("A", Stuck::makeRounds, true));
    calls.add(here.rpc().async("B", Stuck::makeRounds, false));
    await(has(Finding.Kind.DEADLOCK));
    assertThat(why())
        .contains("A waits in round 0 (barrier) of collective \"first\" for B")
        .contains("B waits in round 0 (barrier) of collective \"second\" for A");
    assertThat(here.rpc().sync("A", Stuck::leave)).isTrue();
  }

  @Test
  void workerThatNeverReachesBarrierIsNamed() {
    calls.add(here.rpc().async("A", Stuck::meet, "tea"));
    await(has(Finding.Kind.ABSENT));
    assertThat(why())
        .contains("barrier over [A, B] with key \"tea\": A waits since")
        .contains("B has not reached it");
  }

  @Test
  void workersAtDifferentBarriersAreToldTogether() {
    calls.add(here.rpc().async("A", Stuck::meet, "tea"));
    calls.add(here.rpc().async("B", Stuck::meet, "milk"));
    await(seen -> lines(seen, Finding.Kind.ABSENT).toString().contains("deadlock"));
    assertThat(why())
        .contains("barrier over [A, B] with key \"tea\": A waits since")
        .contains("B waits in barrier over [A, B] with key \"milk\" for A, since")
        .contains("they wait for each other: a deadlock, unless another thread comes");
  }

  @Test
  void slowWorkerOfLoopIsNamed() {
    calls.add(here.rpc().async("A", Stuck::train, false));
    calls.add(here.rpc().async("B", Stuck::train, true));
    String said = awaitSaid("training loop: B needs", "the longest part of its steps is program");
    assertThat(said)
        .contains("training loop, milliseconds of a step")
        .containsPattern("BACKWARD +WAITING +TRANSFER +PROGRAM\\R");
  }

  @Test
  void stepsOfPipelineAreTimed() {
    calls.add(here.rpc().async("A", Stuck::pipe));
    calls.add(here.rpc().async("B", Stuck::pipe));
    await(seen -> seen.steps().size() == 2);
    assertThat(why())
        .contains("training pipe, milliseconds of a step")
        .containsPattern("FORWARD +BACKWARD +WAITING +PROGRAM\\R");
  }

  @Test
  void stoppedWorkerOfTrainingIsNamed() {
    TrainingJob job =
        TrainingJobs.on(here)
            .start(
                "digits", new PictureFit(null), TrainingOptions.builder().epochs(100_000).build());
    try {
      await(seen -> seen.steps().size() == 3);
      assertThat(why()).contains("training digits, milliseconds of a step");
      cluster.worker("B").pause();
      Diagnosis paused = await(has(Finding.Kind.ABSENT));
      assertThat(lines(paused, Finding.Kind.ABSENT))
          .anyMatch(line -> line.contains("of collective \"training digits"))
          .anyMatch(line -> line.matches(".*waits? since .* for (A and |here and )?B\\b.*"));
      // The command asks anew. If that is late, B is lost, and nobody waits for it any more.
      assertThat(why()).containsPattern("B does not answer|B was lost");
      // Else the cluster could remove it in the middle of the next story.
      await(has(Finding.Kind.LOST));
      await(seen -> !isKnownToAll("B"));
    } finally {
      cluster.worker("B").resume();
      job.cancel();
      job.forget();
    }
    await(seen -> isKnownToAll("B")); // It comes back by itself.
  }

  private static boolean isKnownToAll(String worker) {
    return Stuck.names(here).contains(worker)
        && here.rpc().sync("A", Stuck::workers).contains(worker);
  }
}
