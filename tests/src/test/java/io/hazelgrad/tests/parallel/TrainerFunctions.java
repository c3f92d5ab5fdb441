package io.hazelgrad.tests.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.parallel.Pipeline;
import io.hazelgrad.autograd.parallel.PipelineSchedule;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.collective.Reduction;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/** The work of the workers of {@link ParallelOfJvmsTest} until one of them dies. */
@RemoteFunctions
final class TrainerFunctions {
  private static final AtomicInteger ROUNDS = new AtomicInteger();

  private TrainerFunctions() {}

  /** Makes all-reduces until one fails; returns its status and message. */
  static String reduceUntilFailure(List<String> names, int elements) {
    try (Collective all = Collectives.on(Grid.current()).join("reduce", names)) {
      Tensor ones = Tensor.full(DType.FLOAT32, 1, elements);
      return untilFailure(
          () -> {
            Tensor sum = all.allReduce(ones, Reduction.SUM).join();
            if (!sum.equals(Tensor.full(DType.FLOAT32, names.size(), elements))) {
              throw new IllegalStateException("wrong sum " + sum);
            }
          });
    }
  }

  /** Makes all-reduces of one array until one fails; returns its status and message. */
  static String reduceInPlaceUntilFailure(List<String> names, int elements) {
    try (Collective all = Collectives.on(Grid.current()).join("in place", names)) {
      float[] array = new float[elements];
      return untilFailure(
          () -> {
            Arrays.fill(array, 1);
            all.allReduceInPlace(array, Reduction.SUM).join();
            for (float each : array) {
              if (each != names.size()) {
                throw new IllegalStateException("wrong sum " + each);
              }
            }
          });
    }
  }

  /** Makes steps of data parallel training until one fails; returns its status and message. */
  static String trainUntilFailure(List<String> names, int width) {
    Linear model = new Linear(width, width, Init.seeded(1));
    try (Collective all = Collectives.on(Grid.current()).join("train", names);
        DataParallel parallel = DataParallel.of(all, model)) {
      Variable x = Variable.of(Init.seeded(2).normal(0, 1, 4, width));
      return untilFailure(
          () -> {
            parallel.backward(model.forward(x).sum());
            parallel.zeroGrad();
          });
    }
  }

  /** Makes steps of a pipeline until one fails; returns its status and message. */
  static String pipeUntilFailure(List<String> names, int width) {
    Linear stage = new Linear(width, width, Init.seeded(1));
    try (Collective all = Collectives.on(Grid.current()).join("stages", names)) {
      Pipeline pipeline = Pipeline.of(all, stage, 4, PipelineSchedule.ONE_FORWARD_ONE_BACKWARD);
      List<Tensor> inputs = Collections.nCopies(4, Init.seeded(2).normal(0, 1, 4, width));
      return untilFailure(
          () -> {
            double unused =
                pipeline.isFirst()
                    ? pipeline.step(inputs)
                    : pipeline.isLast()
                        ? pipeline.step((micro, output) -> output.mean())
                        : pipeline.step();
            stage.zeroGrad();
          });
    }
  }

  private static String untilFailure(Runnable round) {
    while (true) {
      try {
        round.run();
        ROUNDS.incrementAndGet();
      } catch (GridException e) {
        return e.status() + " " + e.getMessage();
      } catch (CompletionException e) {
        return e.getCause() instanceof GridException why
            ? why.status() + " " + why.getMessage()
            : e.toString();
      }
    }
  }

  static int rounds() {
    return ROUNDS.get();
  }

  /** Counts from zero again; returns the rounds so far. */
  static int reset() {
    return ROUNDS.getAndSet(0);
  }

  /** Returns the number of collectives and of their threads on this worker. */
  static int leftovers() {
    long threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(each -> each.getName().startsWith("hazelgrad-collective"))
            .count();
    return Collectives.on(Grid.current()).joined() + (int) threads;
  }
}
