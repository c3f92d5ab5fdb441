package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The learning rates of an optimizer's groups, as a schedule moves them, and its clipping.
 *
 * <p>Threads: safe.
 */
abstract sealed class GroupedOptimizer permits LocalOptimizer, DistributedOptimizer {
  /** Makes a step with the rate of each group and a scale of all gradients. */
  interface Step {
    /** Returns the number of changed parameters. */
    int make(double[] rates, double scale);
  }

  private final double[] base;
  private final Schedule schedule;
  private final double maxNorm;
  private final AtomicLong position = new AtomicLong();

  GroupedOptimizer(OptimizerBuilder<?, ?> builder) {
    if (builder.parameters.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "no parameters to optimize were given");
    }
    base = builder.optimizers.stream().mapToDouble(Optimizer::learningRate).toArray();
    schedule = builder.schedule;
    maxNorm = builder.maxNorm;
  }

  /** Moves the schedule on by one step; as torch's {@code scheduler.step()}. */
  public final void advanceSchedule() {
    position.incrementAndGet();
  }

  /** Returns the learning rate of each group at the next step. */
  public final List<Double> learningRates() {
    return Arrays.stream(rates()).boxed().toList();
  }

  private double[] rates() {
    long step = position.get();
    double[] rates = new double[base.length];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = schedule.learningRate(base[i], step);
      if (!(rates[i] >= 0 && Double.isFinite(rates[i]))) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the schedule's learning rate at step %s=%s, but it must be a number of at least 0"
                .formatted(step, rates[i]));
      }
    }
    return rates;
  }

  /** Makes a step, with gradients scaled down if their norm is over the bound. */
  final StepResult step(DoubleSupplier gradientNorm, Step step) {
    double[] rates = rates();
    if (maxNorm == Double.POSITIVE_INFINITY) {
      return new StepResult(step.make(rates, 1), OptionalDouble.empty());
    }
    double norm = gradientNorm.getAsDouble();
    int changed = step.make(rates, Clipping.scale(norm, maxNorm));
    return new StepResult(changed, OptionalDouble.of(norm));
  }

  /** Returns how often the schedule was advanced. */
  final long schedulePosition() {
    return position.get();
  }

  /** Restores a state, all of it or nothing: stages it by parameter, then commits. */
  final void restore(
      OptimizerState state, int parameters, IntConsumer stage, Runnable discard, Runnable commit) {
    int given = state.parameters().size();
    if (given != parameters) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "this optimizer has %s parameters, the state to restore has %s"
              .formatted(parameters, given));
    }
    try {
      IntStream.range(0, parameters).forEach(stage);
    } catch (GridException e) {
      try {
        discard.run();
      } catch (GridException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
    commit.run();
    position.set(state.scheduleStep());
  }
}
