package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertClose;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.DistributedOptimizer;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.tests.Await;
import io.hazelgrad.tests.Grids;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Parameters of several workers, optimized by one. */
class OptimizerTest extends OnThreeWorkers {
  private static Variable loss(World world, Variable x) {
    Variable hidden = world.call("B", Net::hop, List.of("C"), x);
    return hidden.mul(hidden).mean();
  }

  @Test
  void stepsAreThoseOfOneProcess() {
    for (Sgd sgd :
        List.of(
            Sgd.of(0.1),
            Sgd.of(0.1).withMomentum(0.9).withWeightDecay(0.01),
            new Sgd(0.05, 0.8, 0, 0.02, true))) {
      stepsAreThoseOfOneProcess(sgd);
    }
  }

  private void stepsAreThoseOfOneProcess(Sgd sgd) {
    World.InOneThread expected = World.inOneThread("A");
    List<Variable> weights = List.of(expected.weight("B"), expected.weight("C"));
    Variable x = input(1).detach();
    try (RRef<Variable> b = a.rpc().sync("B", Net::weightRef);
        RRef<Variable> c = a.rpc().sync("C", Net::weightRef);
        DistributedOptimizer optimizer = DistributedOptimizer.create(a, sgd, List.of(b, c))) {
      weights.get(0).set(b.toHere().value());
      weights.get(1).set(c.toHere().value());
      List<Optimizer.State> states = new ArrayList<>();
      weights.forEach(weight -> states.add(sgd.newState()));
      for (int step = 0; step < 10; step++) {
        loss(expected, x).backward();
        for (int i = 0; i < 2; i++) {
          Variable weight = weights.get(i);
          Tensor gradient = Objects.requireNonNull(weight.grad());
          weight.set(states.get(i).step(weight.value(), gradient));
          weight.zeroGrad();
        }
        try (Context context = Autograd.on(a).open()) {
          context.backward(loss(World.of(a), x));
          assertThat(optimizer.step(context)).isEqualTo(2);
        }
        assertClose("B", b.toHere().value(), weights.get(0).value());
        assertClose("C", c.toHere().value(), weights.get(1).value());
      }
    }
  }

  @Test
  void parameterWithoutGradientStays() {
    try (RRef<Variable> b = a.rpc().sync("B", Net::weightRef);
        RRef<Variable> c = a.rpc().sync("C", Net::weightRef);
        DistributedOptimizer optimizer =
            DistributedOptimizer.create(a, Sgd.of(0.1).withWeightDecay(0.5), List.of(b, c));
        Context context = Autograd.on(a).open()) {
      Tensor before = c.toHere().value();
      Tensor changing = b.toHere().value();
      context.backward(World.of(a).call("B", Net::times, input(1)).sum());
      assertThat(optimizer.step(context)).isEqualTo(1);
      assertThat(c.toHere().value()).isEqualTo(before);
      assertThat(b.toHere().value()).isNotEqualTo(changing);
    }
  }

  @Test
  void lostOwnerFailsTheStepOfItsOwnOnly() {
    try (Grids own = Grids.join("A", "B", "C")) {
      lostOwnerFailsTheStepOfItsOwnOnly(own);
      awaitNothingLeft(own, "A", "C");
    }
  }

  private static void lostOwnerFailsTheStepOfItsOwnOnly(Grids grids) {
    Grid a = grids.grid("A");
    try (RRef<Variable> b = a.rpc().sync("B", Net::weightRef);
        RRef<Variable> c = a.rpc().sync("C", Net::weightRef);
        DistributedOptimizer optimizer =
            DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b, c));
        Context context = Autograd.on(a).open()) {
      context.backward(World.of(a).call("C", Net::times, input(1)).sum());
      grids.kill("B");
      Await.until("B has left", DEADLINE, () -> a.workers().size() == 2);
      Tensor before = c.toHere().value();
      assertFails(() -> optimizer.step(context), Status.RREF_LOST, "worker B");
      Await.until("C made its step", DEADLINE, () -> !c.toHere().value().equals(before));
    }
  }

  @Test
  void whatCannotBeOptimizedIsRefusedAndLeavesNothing() {
    assertFails(
        () -> DistributedOptimizer.create(a, Sgd.of(0.1), List.of()),
        Status.BAD_ARGUMENT,
        "no parameters");
    try (RRef<Variable> b = a.rpc().sync("B", Net::weightRef);
        RRef<Variable> constant = RRefs.on(a).local(input(1).detach())) {
      assertFails(
          () -> DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b, constant)),
          Status.BAD_ARGUMENT,
          "needs no gradient");
    }
  }

  @Test
  void stepInAClosedContextFails() {
    try (RRef<Variable> b = a.rpc().sync("B", Net::weightRef);
        DistributedOptimizer optimizer = DistributedOptimizer.create(a, Sgd.of(0.1), List.of(b))) {
      Context context = Autograd.on(a).open();
      context.close();
      assertFails(() -> optimizer.step(context), Status.CONTEXT_CLOSED, "was closed");
    }
  }
}
