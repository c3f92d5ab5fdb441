package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertClose;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Adadelta;
import io.hazelgrad.autograd.optim.Adagrad;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Adamax;
import io.hazelgrad.autograd.optim.NAdam;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.RAdam;
import io.hazelgrad.autograd.optim.RmsProp;
import io.hazelgrad.autograd.optim.Rprop;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.autograd.training.OptimizerState;
import io.hazelgrad.autograd.training.StepResult;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of optimizers over parameters of several workers. */
class OptimizerTest extends ThreeWorkers {
  private RRef<Variable> b;
  private RRef<Variable> c;

  @BeforeEach
  void reach() {
    b = a.rpc().sync("B", GradientFunctions::weightRef);
    c = a.rpc().sync("C", GradientFunctions::weightRef);
  }

  @AfterEach
  void letGo() {
    b.close();
    c.close();
  }

  static List<Optimizer> optimizers() {
    return List.of(
        Sgd.of(0.1),
        Sgd.of(0.1).withMomentum(0.9).withWeightDecay(0.01),
        Sgd.of(0.05).withMomentum(0.8).withWeightDecay(0.02).withNesterov(true),
        Adam.defaults().withAmsgrad(true),
        AdamW.defaults(),
        Adagrad.defaults(),
        Adadelta.defaults(),
        RmsProp.defaults(),
        Adamax.defaults(),
        Rprop.defaults(),
        NAdam.defaults(),
        RAdam.defaults());
  }

  private static Variable loss(ProgramHost world, Variable x) {
    Variable hidden = world.call("B", GradientFunctions::hop, List.of("C"), x);
    return hidden.mul(hidden).mean();
  }

  /** Returns the result of a step after a backward pass that reaches the weights of B and C. */
  private static StepResult step(DistributedOptimizer optimizer, Variable x) {
    try (Context context = autograd.open()) {
      context.backward(loss(ProgramHost.of(a), x));
      return optimizer.step(context);
    }
  }

  private List<Tensor> values() {
    return List.of(b.toHere().value(), c.toHere().value());
  }

  @ParameterizedTest
  @MethodSource("optimizers")
  void stepsMatchThoseOfOneProcess(Optimizer kind) {
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    List<Variable> weights = List.of(expected.weight("B"), expected.weight("C"));
    weights.get(0).set(b.toHere().value());
    weights.get(1).set(c.toHere().value());
    LocalOptimizer local = LocalOptimizer.of(kind, weights);
    Variable x = input(1).detach();
    try (DistributedOptimizer optimizer = DistributedOptimizer.create(a, kind, List.of(b, c))) {
      for (int step = 0; step < 5; step++) {
        loss(expected, x).backward();
        local.step();
        local.zeroGrad();
        assertThat(step(optimizer, x).changed()).isEqualTo(2);
        assertClose("B", b.toHere().value(), weights.get(0).value());
        assertClose("C", c.toHere().value(), weights.get(1).value());
      }
    }
  }

  /** B's weight is the second parameter: the order is that of the parameters, not of the owners. */
  @Test
  void groupsScheduleAndClippingMatchThoseOfOneProcess() {
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable weightB = expected.weight("B");
    Variable weightC = expected.weight("C");
    weightB.set(b.toHere().value());
    weightC.set(c.toHere().value());
    Schedule schedule = Schedule.exponential(0.5);
    LocalOptimizer local =
        LocalOptimizer.builder()
            .parameters(Adam.defaults(), List.of(weightC))
            .parameters(Sgd.of(0.1), List.of(weightB))
            .schedule(schedule)
            .clipNorm(0.01)
            .build();
    Variable x = input(1).detach();
    try (DistributedOptimizer optimizer =
        DistributedOptimizer.over(a)
            .parameters(Adam.defaults(), List.of(c))
            .parameters(Sgd.of(0.1), List.of(b))
            .schedule(schedule)
            .clipNorm(0.01)
            .create()) {
      for (int step = 0; step < 5; step++) {
        loss(expected, x).backward();
        double norm = local.step().gradientNorm().orElseThrow();
        local.zeroGrad();
        assertThat(norm).isGreaterThan(0.01);
        assertThat(step(optimizer, x).gradientNorm()).hasValue(norm);
        local.advanceSchedule();
        optimizer.advanceSchedule();
        assertThat(optimizer.learningRates()).isEqualTo(local.learningRates());
        assertClose("B", b.toHere().value(), weightB.value());
        assertClose("C", c.toHere().value(), weightC.value());
      }
    }
  }

  @Test
  void parameterStaysWithoutGradient() {
    try (DistributedOptimizer optimizer =
            DistributedOptimizer.create(a, Sgd.of(0.1).withWeightDecay(0.5), List.of(b, c));
        Context context = autograd.open()) {
      List<Tensor> before = values();
      context.backward(ProgramHost.of(a).call("B", GradientFunctions::times, input(1)).sum());
      assertThat(optimizer.step(context).changed()).isEqualTo(1);
      assertThat(values().get(0)).isNotEqualTo(before.get(0));
      assertThat(values().get(1)).isEqualTo(before.get(1));
    }
  }

  /**
   * Each step adds one. Two optimizers of one worker and one of another make their steps
   * concurrently.
   */
  @Test
  void stepsOfSeveralTrainersApplyInTurn() {
    int steps = 15;
    Optimizer plusOne = Sgd.of(1).withMaximize(true);
    Tensor before = b.toHere().value();
    RRef<Variable> fromC = grids.grid("C").rpc().sync("B", GradientFunctions::weightRef);
    try (DistributedOptimizer shared = DistributedOptimizer.create(a, plusOne, List.of(b));
        DistributedOptimizer third =
            DistributedOptimizer.create(grids.grid("C"), plusOne, List.of(fromC))) {
      List<CompletableFuture<Void>> trainers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Grid grid = i == 2 ? grids.grid("C") : a;
        DistributedOptimizer optimizer = i == 2 ? third : shared;
        trainers.add(CompletableFuture.runAsync(() -> addOnes(grid, optimizer, steps)));
      }
      trainers.forEach(CompletableFuture::join);
      double[] expected = before.toDoubles();
      for (int i = 0; i < expected.length; i++) {
        expected[i] += 3 * steps;
      }
      assertThat(b.toHere().value().toDoubles()).containsExactly(expected, within(1e-9));
      Tensor made = shared.state().parameters().get(0).get("step");
      assertThat(made.item()).isEqualTo(2 * steps);
    } finally {
      fromC.close();
    }
  }

  private static void addOnes(Grid grid, DistributedOptimizer optimizer, int steps) {
    Variable ones = Variable.of(Tensor.full(DType.FLOAT64, 1, 2, 3));
    for (int step = 0; step < steps; step++) {
      try (Context context = Autograd.on(grid).open()) {
        context.backward(ProgramHost.of(grid).call("B", GradientFunctions::times, ones).sum());
        assertThat(optimizer.step(context).changed()).isEqualTo(1);
      }
    }
  }

  /** Optimizer of an application that fails on one worker, when it is created or at each step. */
  @RemoteValue
  record Failing(double learningRate, String on, boolean atOnce) implements Optimizer {
    private boolean here() {
      return Grid.current().worker().name().equals(on);
    }

    @Override
    public State newState(Tensor parameter) {
      if (atOnce && here()) {
        throw new IllegalStateException("no optimizer today");
      }
      State descent = Sgd.of(learningRate).newState(parameter);
      return new State() {
        @Override
        public Tensor step(Tensor value, Tensor gradient, double rate) {
          if (here()) {
            throw new IllegalStateException("no step today");
          }
          return descent.step(value, gradient, rate);
        }

        @Override
        public Map<String, Tensor> export() {
          return descent.export();
        }

        @Override
        public void restore(Map<String, Tensor> exported) {
          descent.restore(exported);
        }
      };
    }
  }

  @Test
  void parameterStaysAndOthersStepWhenItsStepFails() {
    try (DistributedOptimizer optimizer =
        DistributedOptimizer.create(a, new Failing(0.1, "C", false), List.of(b, c))) {
      List<Tensor> before = values();
      assertFails(
          () -> step(optimizer, input(1).detach()),
          Status.USER_ERROR,
          "the step on worker C failed: parameter 1 (" + c.id() + ") made no step",
          "IllegalStateException: no step today");
      assertThat(values().get(0)).isNotEqualTo(before.get(0));
      assertThat(values().get(1)).isEqualTo(before.get(1));
    }
  }

  @Test
  void optimizerLeavesNothingWhenCreationFailsOnOwner() {
    assertFails(
        () -> DistributedOptimizer.create(a, new Failing(0.1, "C", true), List.of(b, c)),
        Status.USER_ERROR,
        "on worker C failed",
        "parameter 1 (" + c.id() + ") cannot be optimized",
        "no optimizer today");
  }

  @Test
  void stepNamesGradientAndChangesNothingWhenNormIsNotFinite() {
    try (DistributedOptimizer optimizer =
        DistributedOptimizer.over(a).parameters(Sgd.of(1), List.of(b, c)).clipNorm(1).create()) {
      List<Tensor> before = values();
      try (Context context = autograd.open()) {
        Variable nan = Variable.of(Tensor.full(DType.FLOAT64, Double.NaN, 2, 3));
        Variable good = ProgramHost.of(a).call("B", GradientFunctions::times, input(1));
        context.backward(
            good.sum(), ProgramHost.of(a).call("C", GradientFunctions::times, nan).sum());
        assertFails(
            () -> optimizer.step(context),
            Status.BAD_ARGUMENT,
            "parameter 1 on worker C has the norm NaN");
      }
      assertThat(values()).isEqualTo(before);
    }
  }

  @Test
  void checkpointContinuesOnOtherOwners() {
    Variable x = input(1).detach();
    Optimizer kind = Adam.defaults().withLearningRate(0.1);
    Checkpoint checkpoint;
    try (DistributedOptimizer optimizer = DistributedOptimizer.create(a, kind, List.of(b, c))) {
      step(optimizer, x);
      step(optimizer, x);
      optimizer.advanceSchedule();
      checkpoint = optimizer.checkpoint(Map.of("epoch", Tensor.scalar(1)));
      step(optimizer, x);
    }
    List<Tensor> expected = values();
    assertThat(checkpoint.parameters()).isNotEqualTo(expected);
    try (DistributedOptimizer optimizer = DistributedOptimizer.create(a, kind, List.of(b, c))) {
      optimizer.restore(checkpoint);
      assertThat(values()).isEqualTo(checkpoint.parameters());
      step(optimizer, x);
      assertThat(values()).isEqualTo(expected);
      assertThat(optimizer.state().scheduleStep()).isEqualTo(1);
    }
    try (RRef<Variable> here = RRefs.on(a).local(input(2));
        RRef<Variable> there = RRefs.on(a).local(input(3));
        DistributedOptimizer moved = DistributedOptimizer.create(a, kind, List.of(here, there))) {
      moved.restore(checkpoint);
      assertThat(List.of(here.localValue().value(), there.localValue().value()))
          .isEqualTo(checkpoint.parameters());
      assertThat(moved.state().parameters()).isEqualTo(checkpoint.optimizer().parameters());
    }
  }

  @Test
  void checkpointChangesNothingWhenItDoesNotFit() {
    try (DistributedOptimizer optimizer =
        DistributedOptimizer.create(a, Adam.defaults(), List.of(b, c))) {
      step(optimizer, input(1).detach());
      List<Tensor> before = values();
      OptimizerState state = optimizer.state();
      Tensor fits = Tensor.full(DType.FLOAT64, 7, 2, 3);
      assertFails(
          () -> optimizer.restore(new Checkpoint(List.of(fits, Tensor.scalar(1)), state, Map.of())),
          Status.BAD_ARGUMENT,
          "on worker C failed: parameter 1",
          "cannot become");
      OptimizerState other =
          new OptimizerState(
              List.of(state.parameters().get(0), Map.of("prev", Tensor.scalar(1))), 9);
      assertFails(
          () -> optimizer.restore(new Checkpoint(List.of(fits, fits), other, Map.of())),
          Status.BAD_ARGUMENT,
          "on worker C failed",
          "the state of another optimizer");
      OptimizerState less = new OptimizerState(List.of(Map.of()), 0);
      assertFails(() -> optimizer.restore(less), Status.BAD_ARGUMENT, "has 2 parameters");
      assertThat(values()).isEqualTo(before);
      assertThat(optimizer.state()).isEqualTo(state);
    }
  }

  @Test
  void stepFailsForLostOwnerOnlyUnlessClipped() {
    try (InProcessGrids own = InProcessGrids.join("A", "B", "C")) {
      lostOwner(own);
      awaitNothingLeft(own, "A", "C");
    }
  }

  private static void lostOwner(InProcessGrids grids) {
    Grid a = grids.grid("A");
    try (RRef<Variable> b = a.rpc().sync("B", GradientFunctions::weightRef);
        RRef<Variable> c = a.rpc().sync("C", GradientFunctions::weightRef);
        DistributedOptimizer optimizer =
            DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b, c));
        DistributedOptimizer clipping =
            DistributedOptimizer.over(a)
                .parameters(Sgd.of(0.1), List.of(b, c))
                .clipNorm(1)
                .create();
        Context context = Autograd.on(a).open()) {
      context.backward(ProgramHost.of(a).call("C", GradientFunctions::times, input(1)).sum());
      grids.kill("B");
      Await.until("B has left", DEADLINE, () -> a.workers().size() == 2);
      Tensor before = c.toHere().value();
      assertFails(() -> clipping.step(context), Status.RREF_LOST, "worker B");
      assertThat(c.toHere().value()).isEqualTo(before);
      assertFails(() -> optimizer.step(context), Status.RREF_LOST, "worker B");
      assertThat(c.toHere().value()).isNotEqualTo(before);
    }
  }

  @Test
  void objectIsRefusedWhenItCannotBeOptimized() {
    Sgd sgd = Sgd.of(0.1);
    assertFails(
        () -> DistributedOptimizer.create(a, sgd, List.of()), Status.BAD_ARGUMENT, "no parameters");
    try (RRef<Variable> constant = RRefs.on(a).local(input(1).detach());
        RRef<Variable> again = a.rpc().sync("B", GradientFunctions::weightRef)) {
      assertFails(
          () -> DistributedOptimizer.create(a, sgd, List.of(b, constant)),
          Status.BAD_ARGUMENT,
          "parameter 1 (" + constant.id() + ") needs no gradient");
      assertFails(
          () -> DistributedOptimizer.create(a, sgd, List.of(b, c, again)),
          Status.BAD_ARGUMENT,
          "on worker B failed",
          "given twice");
    }
  }

  @Test
  void stepFailsWhenContextIsClosed() {
    try (DistributedOptimizer optimizer = DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b))) {
      Context context = autograd.open();
      context.close();
      assertFails(() -> optimizer.step(context), Status.CONTEXT_CLOSED, "was closed");
    }
  }

  @Test
  void stepFailsWhenOptimizerIsClosed() {
    DistributedOptimizer optimizer = DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b));
    optimizer.close();
    try (Context context = autograd.open()) {
      assertFails(() -> optimizer.step(context), Status.RREF_CLOSED, "worker B");
    }
    assertFails(optimizer::state, Status.RREF_CLOSED, "worker B");
  }
}
