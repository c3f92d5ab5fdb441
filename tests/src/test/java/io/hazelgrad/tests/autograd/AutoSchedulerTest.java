package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.metrics.Metrics;
import org.junit.jupiter.api.Test;

/** Tests of passes for which the worker chooses between calls and jobs of Jet. */
@SchedulerUnderTest(Scheduler.AUTO)
class AutoSchedulerTest extends ThreeWorkers {
  private static final Function<Variable> MATMUL = Function.operator("matmul");
  private static final Function<Variable> SHORT = Function.operator("relu");
  private static final Function<Variable> LONG = Function.of(LongGradient::twice);
  private static final int IN_TRIAL = 10;
  private static final int MOST_LONG_PASSES = 60;

  private static long passes(String by) {
    return Metrics.of(a).figures().get("autograd.num_passes_by_" + by);
  }

  private static double[] gradient(Variable x, Variable y) {
    try (Context context = autograd.open()) {
      context.backward(a.rpc().sync("B", MATMUL, x, y).sum());
      return doubles(context.gradient(x));
    }
  }

  @Test
  void longPassesByCallsAndByJobsGiveTheSameBits() {
    Variable x = Variable.parameter(Init.seeded(1).normal(0, 1, 768, 768));
    Variable y = Variable.of(Init.seeded(2).normal(0, 1, 768, 768));
    double[] expected = gradient(x, y);
    long calls = passes("calls");
    long jobs = passes("jobs");
    for (long end = System.nanoTime() + 3 * DEADLINE.toNanos();
        passes("jobs") - jobs < IN_TRIAL; ) {
      assertThat(gradient(x, y)).isEqualTo(expected);
      assertThat(System.nanoTime() - end).as("time over before jobs ran").isNegative();
    }
    assertThat(passes("calls") - calls).isGreaterThanOrEqualTo(IN_TRIAL);
  }

  /** Runs a pass over two calls, a shape that no other test has; returns whether it was a job. */
  private static boolean isJob(Function<Variable> first) {
    long jobs = passes("jobs");
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    try (Context context = autograd.open()) {
      Variable y = a.rpc().sync("B", first, x);
      context.backward(a.rpc().sync("B", SHORT, y).sum());
    }
    return passes("jobs") > jobs;
  }

  /** A trial takes calls and jobs in turn, so two jobs one after the other are a choice. */
  @Test
  void passesRunAsJobsWhenTheirPredecessorsTookLong() {
    for (int i = 0; i < 20; i++) {
      assertThat(isJob(SHORT)).as("a short pass is a job").isFalse();
    }
    int inTurn = 0;
    for (int i = 0; inTurn < 3; i++) {
      assertThat(i).as("passes before jobs were chosen").isLessThan(MOST_LONG_PASSES);
      inTurn = isJob(LONG) ? inTurn + 1 : 0;
    }
  }
}
