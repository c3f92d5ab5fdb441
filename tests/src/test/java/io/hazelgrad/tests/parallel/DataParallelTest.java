package io.hazelgrad.tests.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.BatchNorm;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.parallel.DataParallelOptions;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Data parallel training over workers of one JVM, beside the same training by one. */
class DataParallelTest {
  private static final List<String> NAMES = List.of("a", "b", "c", "d");
  private static final int COLUMNS = 6;
  private static final int CLASSES = 4;
  private static InProcessGrids grids;

  @BeforeAll
  static void start() {
    grids = InProcessGrids.join(NAMES.toArray(String[]::new));
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  /** A worker in a training. */
  private interface Work<T> {
    T run(Collective collective);
  }

  /** Lets workers do something at once in one collective; returns their results by rank. */
  private static <T> List<T> together(int workers, Work<T> work) {
    List<String> names = NAMES.subList(0, workers);
    List<CompletableFuture<T>> all =
        names.stream()
            .map(
                name ->
                    begin(
                        () -> {
                          try (Collective collective =
                              Collectives.on(grids.grid(name)).join("training", names)) {
                            T result = work.run(collective);
                            collective.barrier().join();
                            return result;
                          }
                        }))
            .toList();
    return all.stream().map(Rpc::await).toList();
  }

  private static <T> CompletableFuture<T> begin(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.get());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "trainer");
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private static Sequential model(long seed) {
    Init init = Init.seeded(seed);
    return new Sequential(
        new Linear(COLUMNS, 16, init), Module.of(Variable::relu), new Linear(16, CLASSES, init));
  }

  /** Returns the loss of some rows of a step's batch. */
  private static Variable loss(Module<Variable, Variable> model, int step, int from, int to) {
    float[] x = new float[(to - from) * COLUMNS];
    long[] y = new long[to - from];
    for (int row = from; row < to; row++) {
      Random random = new Random(1000L * step + row);
      for (int i = 0; i < COLUMNS; i++) {
        x[(row - from) * COLUMNS + i] = random.nextFloat() - 0.5f;
      }
      y[row - from] = random.nextInt(CLASSES);
    }
    return model
        .forward(Variable.of(Tensor.wrap(x, to - from, COLUMNS)))
        .crossEntropy(Variable.of(Tensor.wrap(y, to - from)));
  }

  private static Map<String, Tensor> trainedAlone(int steps, int rows) {
    Sequential model = model(1);
    LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.5), model.parameters());
    for (int step = 0; step < steps; step++) {
      loss(model, step, 0, rows).backward();
      optimizer.step();
      optimizer.zeroGrad();
    }
    return model.state();
  }

  private static void assertClose(Map<String, Tensor> state, Map<String, Tensor> expected) {
    expected.forEach(
        (name, tensor) ->
            assertThat(state.get(name).toDoubles())
                .as(name)
                .containsExactly(tensor.toDoubles(), within(1e-5)));
  }

  @ParameterizedTest
  @CsvSource({"1,12,1048576", "2,12,1", "3,12,200", "4,13,300", "4,3,1048576"})
  void trainingWithUnevenRowsEqualsThatOfOneProcess(int workers, int rows, int bucketBytes) {
    List<Map<String, Tensor>> states =
        together(
            workers,
            collective -> {
              Sequential model = model(collective.rank() + 1);
              DataParallelOptions options =
                  DataParallelOptions.defaults().withBucketBytes(bucketBytes);
              try (DataParallel parallel = DataParallel.of(collective, model, options)) {
                LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.5), model.parameters());
                int from = collective.rank() * rows / workers;
                int to = (collective.rank() + 1) * rows / workers;
                for (int step = 0; step < 5; step++) {
                  if (from == to) {
                    parallel.skip();
                  } else {
                    parallel.backward(loss(model, step, from, to), to - from);
                  }
                  optimizer.step(parallel::gradient);
                  parallel.zeroGrad();
                  parallel.requireIdentical();
                }
              }
              return model.state();
            });
    states.forEach(state -> assertThat(state).isEqualTo(states.get(0)));
    assertClose(states.get(0), trainedAlone(5, rows));
  }

  @Test
  void accumulatedGradientsAreExchangedOnce() {
    List<Map<String, Tensor>> states =
        together(
            2,
            collective -> {
              Sequential model = model(1);
              long before;
              try (DataParallel parallel = DataParallel.of(collective, model)) {
                LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.5), model.parameters());
                for (int step = 0; step < 3; step++) {
                  int from = 6 * collective.rank();
                  before = collective.bytesSent();
                  half(loss(model, step, from, from + 3)).backward();
                  assertThat(collective.bytesSent()).isEqualTo(before);
                  parallel.backward(half(loss(model, step, from + 3, from + 6)));
                  optimizer.step(parallel::gradient);
                  parallel.zeroGrad();
                }
              }
              return model.state();
            });
    assertThat(states.get(1)).isEqualTo(states.get(0));
    assertClose(states.get(0), trainedAlone(3, 12));
  }

  private static Variable half(Variable loss) {
    return loss.mul(Variable.of(Tensor.full(loss.value().dtype(), 0.5)));
  }

  @Test
  void deterministicModeGivesTheSameBitsForAnyNumberOfWorkers() {
    List<Map<String, Tensor>> states = new ArrayList<>();
    for (int workers : new int[] {1, 2, 3, 4}) {
      List<Map<String, Tensor>> all =
          together(
              workers,
              collective -> {
                Sequential model = model(1);
                DataParallelOptions options =
                    DataParallelOptions.defaults().withShards(4).withBucketBytes(200);
                try (DataParallel parallel = DataParallel.of(collective, model, options)) {
                  LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.5), model.parameters());
                  for (int step = 0; step < 5; step++) {
                    int number = step;
                    int rows = step == 4 ? 9 : 12; // The last batch has a shard without rows.
                    parallel.backwardShards(
                        shard -> {
                          int to = Math.min(rows, 3 * shard + 3);
                          return 3 * shard >= to
                              ? null
                              : new DataParallel.ShardLoss(
                                  loss(model, number, 3 * shard, to), to - 3L * shard);
                        });
                    optimizer.step(parallel::gradient);
                  }
                }
                return model.state();
              });
      states.addAll(all);
    }
    states.forEach(state -> assertThat(state).isEqualTo(states.get(0)));
  }

  /** A model of which some rows use one branch only. */
  private static final class Branches extends Module<Integer, Variable> {
    private final Linear left = child("left", new Linear(COLUMNS, CLASSES, Init.seeded(2)));
    private final Linear right = child("right", new Linear(COLUMNS, CLASSES, Init.seeded(3)));
    private final Linear unused = child("unused", new Linear(COLUMNS, CLASSES, Init.seeded(4)));

    @Override
    public Variable forward(Integer rank) {
      return loss(rank == 0 ? left : right, 0, 0, 3);
    }
  }

  @Test
  void unusedParametersCountAsZeroAndThoseOfNobodyHaveNoGradient() {
    together(
        2,
        collective -> {
          Branches model = new Branches();
          try (DataParallel parallel = DataParallel.of(collective, model)) {
            Variable weight = model.left.namedParameters().get("weight");
            parallel.backward(model.forward(collective.rank()));
            Tensor mean = parallel.gradient(weight);
            loss(model.left, 0, 0, 3).backward(); // For comparison; nothing is exchanged.
            parallel.zeroGrad();
            loss(model.left, 0, 0, 3).backward();
            double[] own = weight.grad().toDoubles();
            for (int i = 0; i < own.length; i++) {
              assertThat(mean.toDoubles()[i]).isCloseTo(own[i] / 2, within(1e-7));
            }
            parallel.zeroGrad();
            parallel.backward(model.forward(collective.rank()));
            model.unused.parameters().forEach(p -> assertThat(parallel.gradient(p)).isNull());
          }
          return true;
        });
  }

  @Test
  void buffersAreThoseOfTheFirstWorker() {
    List<Map<String, Tensor>> buffers =
        together(
            2,
            collective -> {
              Init init = Init.seeded(1);
              Sequential model =
                  new Sequential(
                      new Linear(COLUMNS, 8, init),
                      new BatchNorm(8, init),
                      new Linear(8, CLASSES, init));
              try (DataParallel parallel = DataParallel.of(collective, model)) {
                int from = 5 * collective.rank();
                parallel.backward(loss(model, 0, from, from + 5));
              }
              return model.buffers();
            });
    assertThat(buffers.get(0)).isNotEmpty();
    assertThat(buffers.get(1)).isEqualTo(buffers.get(0));
  }

  @Test
  void differingParametersAreNamed() {
    together(
        2,
        collective -> {
          Sequential model = model(1);
          try (DataParallel parallel = DataParallel.of(collective, model)) {
            if (collective.rank() == 1) {
              Variable bias = model.namedParameters().get("2.bias");
              bias.set(Tensor.full(bias.value().dtype(), 7, CLASSES));
            }
            assertThatThrownBy(parallel::requireIdentical)
                .hasMessageContaining("[2.bias of worker b]");
          }
          return true;
        });
  }
}
