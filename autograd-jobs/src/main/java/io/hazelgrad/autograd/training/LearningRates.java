package io.hazelgrad.autograd.training;

import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The learning rates of groups of parameters, as a schedule moves them.
 *
 * <p>Threads: safe.
 */
final class LearningRates {
  private final double[] base;
  private final Schedule schedule;
  private final AtomicLong position = new AtomicLong();

  LearningRates(List<Optimizer> groups, Schedule schedule) {
    this.base = groups.stream().mapToDouble(Optimizer::learningRate).toArray();
    this.schedule = schedule;
  }

  /** Returns the rate of each group now. */
  double[] now() {
    long step = position.get();
    double[] rates = new double[base.length];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = schedule.learningRate(base[i], step);
      if (!(rates[i] >= 0 && Double.isFinite(rates[i]))) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the schedule's learning rate at step "
                + step
                + "="
                + rates[i]
                + ", but it must be a number of at least 0");
      }
    }
    return rates;
  }

  List<Double> list() {
    return Arrays.stream(now()).boxed().toList();
  }

  void advance() {
    position.incrementAndGet();
  }

  long position() {
    return position.get();
  }

  void position(long step) {
    position.set(step);
  }
}
