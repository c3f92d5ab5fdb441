package io.hazelgrad.tests.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that are killed in the middle of collectives and of training. */
@ExtendWith(Leftovers.class)
class ParallelOfJvmsTest {
  private static final List<String> NAMES = List.of("w1", "w2", "w3");
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("w1", "w2", "w3").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000_000})
  void allReduceEndsEverywhereWithTheNameOfTheKilledWorker(int elements) {
    killOneDuring(Function.of(TrainerFunctions::reduceUntilFailure), elements);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1_000_000})
  @Tag("slow")
  void allReduceInPlaceEndsEverywhereWithTheNameOfTheKilledWorker(int elements) {
    killOneDuring(Function.of(TrainerFunctions::reduceInPlaceUntilFailure), elements);
  }

  @Test
  void trainingEndsEverywhereWithTheNameOfTheKilledWorker() {
    killOneDuring(Function.of(TrainerFunctions::trainUntilFailure), 600);
  }

  @Test
  @Tag("slow")
  void pipelineEndsEverywhereWithTheNameOfTheKilledWorker() {
    killOneDuring(Function.of(TrainerFunctions::pipeUntilFailure), 60);
  }

  private static void killOneDuring(Function<String> work, int size) {
    cluster.startMissing();
    NAMES.forEach(name -> cluster.grid().rpc().sync(name, TrainerFunctions::reset));
    List<CompletableFuture<String>> all =
        NAMES.stream().map(name -> begin(name, work, size)).toList();
    Await.until("rounds have run", DEADLINE, () -> rounds("w1") > 3 && rounds("w2") > 3);
    cluster.kill("w3");
    for (int i = 0; i < 2; i++) {
      assertThat(Rpc.await(all.get(i))).matches("WORKER_LOST .*worker w3\\b.*");
      String survivor = NAMES.get(i);
      Await.until(
          "nothing is left on " + survivor,
          DEADLINE,
          () -> cluster.grid().rpc().sync(survivor, TrainerFunctions::leftovers) == 0);
    }
  }

  private static CompletableFuture<String> begin(String name, Function<String> work, int size) {
    return cluster.grid().rpc().within(DEADLINE).async(name, work, NAMES, size);
  }

  private static int rounds(String name) {
    return cluster.grid().rpc().sync(name, TrainerFunctions::rounds);
  }
}
