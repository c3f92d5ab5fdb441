package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.fault.FaultPlan;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.plane.TensorPlane;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of backward passes whose gradient batches fail, get lost, are duplicated or come early. */
@SchedulerUnderTest(Scheduler.CALLS)
class GradientBatchTest extends ThreeWorkers {
  private static final String BEGIN = "call.service:autograd.pass.begin";
  private static final String GRADIENTS = "call.service:autograd.pass.gradients";
  private static final String ENDED = "call.service:autograd.pass.ended";

  @AfterEach
  void endFaults() {
    for (String worker : WORKERS) {
      Faults.of(grids.grid(worker)).clear();
    }
  }

  /**
   * A calls B, which calls C. The pass sends batches from A to B and from B to C, and C reports its
   * end.
   */
  private static Variable chain(Variable x) {
    return ProgramHost.of(a).call("B", GradientFunctions::hop, List.of("C"), x).sum();
  }

  private static void assertRight(Context context, Variable x) {
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable same = Variable.parameter(x.value());
    expected.call("B", GradientFunctions::hop, List.of("C"), same).sum().backward();
    assertThat(doubles(context.gradient(x))).containsExactly(doubles(same.grad()));
  }

  /**
   * Makes every worker inject a fault into one kind of message, and runs the pass, which must
   * succeed.
   */
  private static void goesWell(String kind, Consumer<FaultPlan> disturbance) {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = chain(x);
      disturb(kind, disturbance);
      context.backward(loss);
      assertRight(context, x);
    }
  }

  private static void disturb(String kind, Consumer<FaultPlan> disturbance) {
    for (String worker : WORKERS) {
      disturbance.accept(Faults.of(grids.grid(worker)).on(kind));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {BEGIN, GRADIENTS, ENDED})
  void batchIsSentAgainWhenSendingFailed(String kind) {
    goesWell(kind, plan -> plan.first(2).fail());
  }

  @ParameterizedTest
  @ValueSource(strings = {BEGIN, GRADIENTS, ENDED})
  void batchCountsOnceWhenDuplicated(String kind) {
    goesWell(kind, FaultPlan::duplicate);
  }

  /** Gradients may arrive before the coordinator's message. */
  @Test
  void batchWaitsWhenItComesBeforeItsPass() {
    goesWell(BEGIN, plan -> plan.to("C").delay(Duration.ofMillis(300)));
  }

  @ParameterizedTest
  @ValueSource(strings = {BEGIN, GRADIENTS})
  void passFailsAtDeadlineAndNamesLostBatch(String kind) {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = chain(x);
      disturb(kind, plan -> plan.first(1).dropRequest());
      PassOptions brief = PassOptions.defaults().withDeadline(Duration.ofMillis(500));
      assertFails(() -> context.backward(brief, loss), Status.TIMEOUT, "pass");
      assertThat(context.gradients()).isEmpty();
      context.backward(loss);
      assertRight(context, x);
    }
  }

  /** A gradient of 4 MiB goes from A to B, and one back. */
  @Test
  void largeGradientsTravelLikeTensorsOfCalls() {
    int size = 1 << 20;
    Variable x = Variable.parameter(Tensor.full(DType.FLOAT32, 1, size));
    try (Context context = autograd.open()) {
      Variable y = a.rpc().sync("B", Function.operator("mul"), x, Variable.of(Tensor.scalar(3f)));
      long before = sentBeside(a) + sentBeside(grids.grid("B"));
      context.backward(y.mul(y).sum());
      assertThat(sentBeside(a) + sentBeside(grids.grid("B")) - before).isEqualTo(2);
      assertThat(doubles(context.gradient(x))).hasSize(size).containsOnly(18);
    }
  }

  /** Returns the number of tensors that a worker has sent outside of messages. */
  private static long sentBeside(Grid grid) {
    PlaneFigures figures = TensorPlane.of(grid).figures();
    return figures.shared().tensors() + figures.chunked().tensors();
  }
}
