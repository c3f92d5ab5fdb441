package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.CollectiveOptions;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives of four members in one JVM, by shared memory and as a ring of hosts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CollectiveTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final CollectiveOptions DEFAULTS = CollectiveOptions.defaults();

  private final TestGrids grids = new TestGrids();
  private final List<Grid> workers = new ArrayList<>();
  private final List<Collective> open = new ArrayList<>();

  @BeforeAll
  void start() {
    NAMES.forEach(name -> workers.add(grids.join(name)));
  }

  @AfterEach
  void closeCollectives() {
    open.forEach(Collective::close);
    open.clear();
    workers.forEach(each -> assertThat(Collectives.on(each).joined()).isZero());
  }

  @AfterAll
  void end() {
    grids.close();
  }

  private static <T> CompletableFuture<T> begin(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "test");
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private List<Collective> join(int size, CollectiveOptions options) {
    List<String> names = NAMES.subList(0, size);
    List<CompletableFuture<Collective>> all =
        workers.subList(0, size).stream()
            .map(grid -> begin(() -> Collectives.on(grid).join("test", names, options)))
            .toList();
    List<Collective> joined = all.stream().map(Rpc::await).toList();
    open.addAll(joined);
    return joined;
  }

  /** Lets all members do something at once, and returns their results by rank. */
  private static <T> List<T> each(List<Collective> members, Function<Collective, T> work) {
    return members.stream().map(member -> begin(() -> work.apply(member))).toList().stream()
        .map(Rpc::await)
        .toList();
  }

  private static Tensor random(int rank, int size) {
    Random random = new Random(rank);
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = random.nextFloat() - 0.5f;
    }
    return Tensor.wrap(values, size);
  }

  private static float[] sums(int members, int size) {
    float[] sums = random(0, size).toFloats();
    for (int rank = 1; rank < members; rank++) {
      float[] next = random(rank, size).toFloats();
      for (int i = 0; i < size; i++) {
        sums[i] += next[i];
      }
    }
    return sums;
  }

  @ParameterizedTest
  @CsvSource({
    "1,true,5",
    "1,true,200001",
    "2,true,1",
    "2,true,3",
    "2,true,200001",
    "3,true,7",
    "4,true,1000003",
    "2,false,1",
    "2,false,3000001",
    "3,false,2",
    "4,false,100003"
  })
  void allReduceAddsTheElementsOfAllMembers(int size, boolean shared, int elements) {
    List<Collective> members = join(size, DEFAULTS.withSharedMemory(shared));
    assertThat(members.get(0).hosts()).isEqualTo(shared ? 1 : size);
    List<Tensor> sums =
        each(members, m -> m.allReduce(random(m.rank(), elements), Reduction.SUM).join());
    assertAreSums(sums, size, elements);
  }

  private static void assertAreSums(List<Tensor> sums, int members, int elements) {
    sums.forEach(sum -> assertThat(sum).isEqualTo(sums.get(0)));
    assertThat(largestDifference(sums.get(0).toFloats(), sums(members, elements))).isLessThan(1e-5);
  }

  @ParameterizedTest
  @CsvSource({
    "1,true,5",
    "2,true,200001",
    "4,true,1000003",
    "2,false,1",
    "3,false,3000001",
    "4,false,100003"
  })
  void allReduceInPlaceIsTheRoundOfATensor(int size, boolean shared, int elements) {
    List<Collective> members = join(size, DEFAULTS.withSharedMemory(shared));
    List<Tensor> sums =
        each(
            members,
            m -> {
              Tensor own = random(m.rank(), elements);
              if (m.rank() == 1) {
                return m.allReduce(own, Reduction.SUM).join();
              }
              float[] array = own.toFloats();
              m.allReduceInPlace(array, Reduction.SUM).join();
              return Tensor.wrap(array, elements);
            });
    assertAreSums(sums, size, elements);
  }

  @Test
  void allReduceInPlaceCombinesDoubles() {
    List<Collective> members = join(3, DEFAULTS);
    List<double[]> results =
        each(
            members,
            m -> {
              double[] array = {m.rank(), -m.rank(), 1};
              m.allReduceInPlace(array, Reduction.MEAN).join();
              m.allReduceInPlace(array, Reduction.MAX).join();
              return array;
            });
    assertThat(results).allSatisfy(it -> assertThat(it).containsExactly(1, -1, 1));
  }

  @Test
  void singleMemberSendsNothing() {
    Collective alone = join(1, DEFAULTS).get(0);
    Tensor values = random(0, 50_000);
    assertThat(alone.allReduce(values, Reduction.MEAN).join()).isEqualTo(values);
    assertThat(alone.allGather(values).join()).containsExactly(values);
    assertThat(alone.broadcast(List.of(values), 0).join()).containsExactly(values);
    assertThat(alone.bytesSent()).isZero();
  }

  private static double largestDifference(float[] values, float[] expected) {
    assertThat(values).hasSameSizeAs(expected);
    double largest = 0;
    for (int i = 0; i < values.length; i++) {
      largest = Math.max(largest, Math.abs(values[i] - expected[i]));
    }
    return largest;
  }

  @ParameterizedTest
  @EnumSource(Reduction.class)
  void reductionsCombineTensorsOfSeveralTypes(Reduction reduction) {
    List<Collective> members = join(3, DEFAULTS);
    List<List<Tensor>> results =
        each(
            members,
            m -> {
              double own = m.rank() + 1.0;
              List<Tensor> tensors = new ArrayList<>();
              tensors.add(Tensor.of(new double[] {own, -own}, 2));
              tensors.add(Tensor.full(DType.FLOAT32, own, 2, 3));
              tensors.add(Tensor.full(DType.BFLOAT16, own, 4));
              if (reduction != Reduction.MEAN) {
                tensors.add(Tensor.full(DType.INT64, own, 1));
                tensors.add(Tensor.full(DType.UINT8, own, 2));
              }
              return m.allReduce(tensors, reduction).join();
            });
    double expected =
        switch (reduction) {
          case SUM -> 6;
          case MEAN -> 2;
          case MIN -> 1;
          case MAX -> 3;
        };
    for (List<Tensor> each : results) {
      assertThat(each).isEqualTo(results.get(0));
      assertThat(each.get(0).toDoubles()[0]).isEqualTo(expected);
      each.stream()
          .skip(1)
          .forEach(t -> assertThat(t).isEqualTo(Tensor.full(t.dtype(), expected, t.shape())));
    }
    assertThat(results.get(0)).extracting(Tensor::dtype).contains(DType.BFLOAT16);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reduceScatterGivesEachMemberItsRows(boolean shared) {
    List<Collective> members = join(3, DEFAULTS.withSharedMemory(shared));
    List<List<Tensor>> parts =
        each(
            members,
            m ->
                m.reduceScatter(
                        List.of(
                            Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 3, 2),
                            Tensor.of(new float[] {7, 8, 9}, 3)),
                        Reduction.SUM)
                    .join());
    assertThat(parts.get(0))
        .containsExactly(Tensor.of(new float[] {3, 6}, 1, 2), Tensor.of(new float[] {21}, 1));
    assertThat(parts.get(2))
        .containsExactly(Tensor.of(new float[] {15, 18}, 1, 2), Tensor.of(new float[] {27}, 1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allGatherReturnsTheTensorsOfEachMember(boolean shared) {
    List<Collective> members = join(4, DEFAULTS.withSharedMemory(shared));
    List<List<List<Tensor>>> all =
        each(
            members,
            m ->
                m.allGather(
                        List.of(
                            random(m.rank(), 50_000),
                            Tensor.of(new boolean[] {m.rank() == 1}, 1),
                            random(m.rank() + 10, 3)))
                    .join());
    for (List<List<Tensor>> gathered : all) {
      for (int rank = 0; rank < 4; rank++) {
        assertThat(gathered.get(rank))
            .containsExactly(
                random(rank, 50_000),
                Tensor.of(new boolean[] {rank == 1}, 1),
                random(rank + 10, 3));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"true,0", "true,2", "false,0", "false,1"})
  void broadcastGivesTheTensorsOfTheRoot(boolean shared, int root) {
    List<Collective> members = join(3, DEFAULTS.withSharedMemory(shared));
    each(members, m -> m.broadcast(List.of(random(m.rank(), 100_000)), root).join())
        .forEach(got -> assertThat(got).containsExactly(random(root, 100_000)));
  }

  @Test
  void manyRoundsInFlightStayApart() {
    List<Collective> members = join(3, DEFAULTS);
    List<List<Tensor>> all =
        each(
            members,
            m -> {
              List<CompletableFuture<Tensor>> rounds = new ArrayList<>();
              for (int i = 0; i < 300; i++) {
                rounds.add(m.allReduce(Tensor.full(DType.INT32, i + m.rank(), 5), Reduction.SUM));
              }
              return rounds.stream().map(CompletableFuture::join).toList();
            });
    for (int i = 0; i < 300; i++) {
      Tensor expected = Tensor.full(DType.INT32, 3.0 * i + 3, 5);
      for (List<Tensor> one : all) {
        assertThat(one.get(i)).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void differentCallsEndTheCollectiveWithTheReason(boolean shared) {
    List<Collective> members = join(2, DEFAULTS.withSharedMemory(shared));
    List<GridException> failures =
        each(
            members,
            m ->
                catchThrowableOfType(
                    GridException.class,
                    () -> Rpc.await(m.allReduce(random(0, 3 + m.rank()), Reduction.SUM))));
    failures.forEach(e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT));
    assertThat(failures.get(0)).hasMessageContaining("round 0 (all-reduce (SUM) of");
    assertThatThrownBy(() -> Rpc.await(members.get(0).barrier()))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("does not fit");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void arraysOfDifferentLengthsEndTheCollective(boolean shared) {
    List<Collective> members = join(2, DEFAULTS.withSharedMemory(shared));
    List<GridException> failures =
        each(
            members,
            m ->
                catchThrowableOfType(
                    GridException.class,
                    () -> Rpc.await(m.allReduceInPlace(new float[3 + m.rank()], Reduction.SUM))));
    assertThat(failures).allSatisfy(e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void roundTimesOutWithTheNameOfTheMissingMember(boolean shared) {
    List<Collective> members = join(2, new CollectiveOptions(Duration.ofMillis(300), shared));
    assertThatThrownBy(() -> Rpc.await(members.get(0).barrier()))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.TIMEOUT))
        .hasMessageContaining("it waited for b");
    // The other member may have all that it needs for this round, but not for the next one.
    assertThatThrownBy(
            () -> {
              Rpc.await(members.get(1).barrier());
              Rpc.await(members.get(1).barrier());
            })
        .isInstanceOf(GridException.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void roundInPlaceTimesOutAndThenNobodyWritesTheArray(boolean shared) {
    Duration within = Duration.ofMillis(300);
    List<Collective> members = join(3, new CollectiveOptions(within, shared));
    float[] array = random(0, 100_000).toFloats();
    CompletableFuture<?> second =
        members.get(1).allReduceInPlace(random(1, 100_000).toFloats(), Reduction.SUM);
    assertThatThrownBy(() -> Rpc.await(members.get(0).allReduceInPlace(array, Reduction.SUM)))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.TIMEOUT));
    Arrays.fill(array, 7); // It is the caller's again.
    // The missing member calls late. It may find all that it needs for a part of the round.
    CompletableFuture<?> third =
        members.get(2).allReduceInPlace(random(2, 100_000).toFloats(), Reduction.SUM);
    for (CompletableFuture<?> each : List.of(second, third)) {
      assertThatThrownBy(() -> Rpc.await(each)).isInstanceOf(GridException.class);
    }
    members.forEach(Collective::close);
    assertThat(array).containsOnly(7);
  }

  @Test
  void closeEndsLaterRoundsOfOthersButNotThoseThatAllHaveCalled() {
    List<Collective> members = join(2, DEFAULTS);
    CompletableFuture<Tensor> first = members.get(0).allReduce(random(0, 10), Reduction.SUM);
    Rpc.await(members.get(1).allReduce(random(1, 10), Reduction.SUM));
    members.get(1).close();
    assertThat(Rpc.await(first).toFloats()).containsExactly(sums(2, 10));
    assertThatThrownBy(() -> Rpc.await(members.get(0).barrier()))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.CLOSED))
        .hasMessageContaining("worker b has closed collective \"test\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void broadcastEndsForSlowMembersAfterItsRootHasClosed(boolean shared) {
    List<Collective> members = join(3, DEFAULTS.withSharedMemory(shared));
    Tensor given = random(0, 100);
    CompletableFuture<List<Tensor>> second = members.get(1).broadcast(List.of(given), 0);
    CompletableFuture<List<Tensor>> third = null;
    if (shared) { // There the root waits until all have called; in a ring it does not.
      third = members.get(2).broadcast(List.of(given), 0);
    }
    Rpc.await(members.get(0).broadcast(List.of(given), 0));
    members.get(0).close();
    if (third == null) {
      third = members.get(2).broadcast(List.of(given), 0);
    }
    assertThat(Rpc.await(second)).containsExactly(given);
    assertThat(Rpc.await(third)).containsExactly(given);
    assertThatThrownBy(() -> Rpc.await(members.get(1).barrier()))
        .hasMessageContaining("worker a has closed");
  }

  @Test
  void tensorsGoFromOneMemberToAnother() {
    List<Collective> members = join(2, DEFAULTS);
    Tensor large = random(7, 100_000);
    var sent = members.get(0).send(1, 5, List.of(large, Tensor.scalar(1)));
    assertThat(members.get(1).receive(0, 5)).containsExactly(large, Tensor.scalar(1));
    Rpc.await(sent);
    CompletableFuture<List<Tensor>> early = begin(() -> members.get(0).receive(1, 9));
    Rpc.await(members.get(1).send(0, 9, List.of(large)));
    assertThat(Rpc.await(early)).containsExactly(large);
    assertThatThrownBy(() -> members.get(0).send(2, 0, List.of(large)))
        .hasMessageContaining("no rank 2");
  }

  @Test
  void receiveEndsWithTheReasonWhenTheSenderCloses() {
    List<Collective> members = join(2, DEFAULTS);
    CompletableFuture<List<Tensor>> early = begin(() -> members.get(0).receive(1, 3));
    members.get(1).close();
    assertThatThrownBy(() -> Rpc.await(early))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("worker b has closed collective \"test\"");
    assertThatThrownBy(() -> members.get(0).receive(1, 4))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.CLOSED));
  }

  @Test
  void joiningWithOtherMembersOrOptionsIsRefused() {
    List<CompletableFuture<Collective>> all =
        List.of(
            begin(() -> Collectives.on(workers.get(0)).join("x", List.of("a", "b"), DEFAULTS)),
            begin(() -> Collectives.on(workers.get(1)).join("x", List.of("b", "a"), DEFAULTS)));
    all.forEach(
        each ->
            assertThatThrownBy(() -> Rpc.await(each))
                .isInstanceOf(GridException.class)
                .hasMessageContaining("joined collective \"x\" with members="));
    assertThatThrownBy(() -> Collectives.on(workers.get(0)).join("x", List.of("b"), DEFAULTS))
        .hasMessageContaining("must be distinct, and a one of them");
  }

  @Test
  void badArgumentsAreRefusedBeforeARoundBegins() {
    Collective one = join(1, DEFAULTS).get(0);
    assertThatThrownBy(() -> one.allReduce(List.of(), Reduction.SUM))
        .hasMessageContaining("at least one tensor");
    assertThatThrownBy(() -> one.allReduce(Tensor.of(new boolean[] {true}, 1), Reduction.MAX))
        .hasMessageContaining("elements of BOOL have no MAX");
    assertThatThrownBy(() -> one.allReduce(Tensor.of(new int[] {1}, 1), Reduction.MEAN))
        .hasMessageContaining("elements of INT32 have no MEAN");
    assertThatThrownBy(() -> one.broadcast(List.of(Tensor.scalar(1)), 1))
        .hasMessageContaining("no rank 1");
    assertThat(one.allReduce(Tensor.scalar(3), Reduction.MEAN).join().item()).isEqualTo(3);
  }
}
