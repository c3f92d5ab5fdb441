package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.assertClose;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.gradientOn;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.AnomalyMode;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Programs over three workers, compared with the same programs in one thread. */
class DistributedBackwardTest extends ThreeWorkers {
  private static void compare(BiFunction<ProgramHost, Variable, Variable> program) {
    Fixture.compare(grids, WORKERS, program);
  }

  @Test
  void gradientsMatchForCall() {
    compare((world, x) -> world.call("B", GradientFunctions::times, x).sum());
  }

  @Test
  void gradientsMatchForCallToSelf() {
    compare((world, x) -> world.call("A", GradientFunctions::times, x).tanh().sum());
  }

  @Test
  void gradientsMatchForCircleOfCalls() {
    compare((world, x) -> world.call("B", GradientFunctions::hop, List.of("C", "A"), x).sum());
  }

  @Test
  void gradientsMatchForCallThereAndBack() {
    compare((world, x) -> world.call("A", GradientFunctions::hop, List.of("B", "A", "B"), x).sum());
  }

  @Test
  void gradientsMatchForChain() {
    compare(
        (world, x) -> {
          Variable y = x;
          for (int i = 0; i < 10; i++) {
            y = world.call(WORKERS[i % 3], GradientFunctions::times, y).tanh().add(x);
          }
          return y.sum();
        });
  }

  @Test
  void gradientsMatchForDiamondsAcrossWorkers() {
    compare((world, x) -> world.call("B", GradientFunctions::diamond, x).add(x).sum());
  }

  @Test
  @PeerTest("backward_with_an_unused_call")
  void gradientsMatchWhenReplyIsUnused() {
    compare(
        (world, x) -> {
          Variable unused = world.call("B", GradientFunctions::times, x);
          assertThat(unused.requiresGrad()).isTrue();
          return world.call("C", GradientFunctions::times, x).sum();
        });
  }

  @Test
  void gradientsMatchWhenArgumentIsUnused() {
    compare(
        (world, x) ->
            world
                .call(
                    "B", GradientFunctions::first, x, world.call("C", GradientFunctions::times, x))
                .sum());
  }

  @Test
  void gradientsMatchWhenNestedRepliesAreUnused() {
    compare((world, x) -> world.call("B", GradientFunctions::wasteful, x).sum());
  }

  @Test
  void gradientsMatchWhenSomeResultsAreUsed() {
    compare(
        (world, x) -> {
          List<Variable> five = world.call("B", GradientFunctions::five, x);
          return five.get(0).mul(five.get(2)).add(five.get(3)).sum();
        });
  }

  @Test
  void gradientsMatchWhenOnlyResultNeedsGradient() {
    compare((world, x) -> world.call("B", GradientFunctions::own, 3.0).add(x).sum());
  }

  @Test
  void gradientsMatchForListOfMixedArguments() {
    compare(
        (world, x) ->
            world.call(
                "B",
                GradientFunctions::mixed,
                List.of(x, Variable.of(Tensor.of(new long[] {1, 2}, 2)), x.tanh(), x, x.detach())));
  }

  @Test
  void gradientsMatchWithoutCalls() {
    compare((world, x) -> x.mul(x).sum());
  }

  @Test
  void hooksApplyBetweenWorkers() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable y = a.rpc().sync("B", GradientFunctions::times, x);
      y.hook(g -> Variable.of(g).add(Variable.of(g)).value());
      Variable z = x.add(y);
      context.backward(true, z.sum());
      Tensor twice = context.gradient(x);
      context.backward(y.sum());
      assertThat(doubles(twice)).hasSize(6);
      double[] sum = doubles(context.gradient(x));
      for (int i = 0; i < sum.length; i++) {
        double throughB = doubles(twice)[i] - 1;
        assertThat(sum[i]).isEqualTo(2 * throughB + 1, within(1e-12));
      }
    }
  }

  @Test
  void gradientsMatchForRootBehindReference() {
    Variable x = input(1);
    try (Context context = autograd.open();
        RRef<Variable> there = RRefs.on(a).remote("B", GradientFunctions::summed, x);
        RRef<Variable> here = RRefs.on(a).local(x.mul(x).sum())) {
      context.backward(true, there);
      Tensor once = context.gradient(x);
      context.backward(there);
      assertThat(doubles(context.gradient(x)))
          .containsExactly(Arrays.stream(doubles(once)).map(g -> 2 * g).toArray(), within(1e-12));
      assertFails(() -> context.backward(there), Status.GRAPH_FREED, "mul");
      context.backward(here);
      assertThat(doubles(context.gradient(x))[0])
          .isEqualTo(2 * doubles(once)[0] + 2 * x.value().toDoubles()[0], within(1e-12));
    }
  }

  @Test
  void anomalyIsNamedOnAnyWorker() {
    Variable x = input(1);
    try (Context context = AnomalyMode.within(autograd::open)) {
      assertFails(
          () -> a.rpc().sync("B", GradientFunctions::logarithm, x),
          Status.BAD_VALUE,
          "log, called at",
          "GradientFunctions.java",
          "gave NaN");
      Variable root = a.rpc().sync("B", GradientFunctions::rootOfNothing, x).sum();
      assertFails(
          () -> context.backward(root),
          Status.PASS_FAILED,
          "worker B",
          "sqrt, called at",
          "GradientFunctions.java");
      assertThat(context.gradient(x)).isNull();
    }
  }

  @Test
  void gradientsMatchForTwentyConcurrentCalls() {
    List<double[]> gradients = new ArrayList<>();
    for (int run = 0; run < 5; run++) {
      Variable x = input(1);
      try (Context context = autograd.open()) {
        context.backward(wide(ProgramHost.of(a), x));
        gradients.add(doubles(context.gradient(x)));
        gradients.add(doubles(gradientOn(a, "B")));
        gradients.add(doubles(gradientOn(a, "C")));
      }
    }
    for (int i = 3; i < gradients.size(); i++) {
      assertThat(gradients.get(i)).as("run %d", i / 3).containsExactly(gradients.get(i % 3));
    }
    compare(DistributedBackwardTest::wide);
  }

  private static Variable wide(ProgramHost world, Variable x) {
    List<CompletableFuture<Variable>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(
          world.async(
              i % 2 == 0 ? "B" : "C",
              GradientFunctions::hop,
              i % 3 == 0 ? List.of("A") : List.of(),
              x));
    }
    Variable sum = x;
    for (CompletableFuture<Variable> call : calls) {
      sum = sum.add(call.join());
    }
    return sum.sum();
  }

  @Test
  void gradientsMatchForSeveralRoots() {
    Variable x = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable local = input(1);
    expected.call("B", GradientFunctions::times, local).sum().backward();
    expected.call("C", GradientFunctions::hop, List.of("B"), local).mean().backward();
    try (Context context = autograd.open()) {
      ProgramHost world = ProgramHost.of(a);
      context.backward(
          world.call("B", GradientFunctions::times, x).sum(),
          world.call("C", GradientFunctions::hop, List.of("B"), x).mean());
      assertClose("x", context.gradient(x), local.grad());
      for (String worker : WORKERS) {
        assertClose(worker, gradientOn(a, worker), expected.weight(worker).grad());
      }
    }
  }

  @Test
  void gradientsAddUpOverRetainedPasses() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = ProgramHost.of(a).call("B", GradientFunctions::hop, List.of("C"), x).sum();
      context.backward(true, loss);
      List<double[]> once = all(context, x);
      context.backward(true, loss);
      context.backward(loss);
      List<double[]> thrice = all(context, x);
      for (int i = 0; i < once.size(); i++) {
        for (int k = 0; k < once.get(i).length; k++) {
          assertThat(thrice.get(i)[k]).isEqualTo(once.get(i)[k] + once.get(i)[k] + once.get(i)[k]);
        }
      }
      assertFails(() -> context.backward(loss), Status.GRAPH_FREED, "worker");
      assertThat(all(context, x)).usingRecursiveComparison().isEqualTo(thrice);
    }
  }

  private static List<double[]> all(Context context, Variable x) {
    return List.of(
        doubles(context.gradient(x)), doubles(gradientOn(a, "B")), doubles(gradientOn(a, "C")));
  }

  @Test
  void gradientsMatchForReferencesFetchedByOthers() {
    Variable x = input(1);
    Variable local = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    expected
        .call("B", GradientFunctions::times, local)
        .add(expected.call("C", GradientFunctions::times, local))
        .sum()
        .backward();
    try (Context context = autograd.open();
        RRef<Variable> reference = RRefs.on(a).local(x)) {
      Variable loss =
          a.rpc()
              .sync("B", GradientFunctions::fetched, reference)
              .add(a.rpc().sync("C", GradientFunctions::fetched, reference))
              .sum();
      context.backward(loss);
      assertClose("x", context.gradient(x), local.grad());
      assertClose("B", gradientOn(a, "B"), expected.weight("B").grad());
      assertClose("C", gradientOn(a, "C"), expected.weight("C").grad());
    }
  }

  @Test
  void gradientsMatchForResultsThatStayRemote() {
    Variable x = input(1);
    Variable local = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    expected
        .call("C", GradientFunctions::times, expected.call("B", GradientFunctions::times, local))
        .sum()
        .backward();
    try (Context context = autograd.open();
        RRef<Variable> there = RRefs.on(a).remote("B", GradientFunctions::times, x)) {
      Variable loss = a.rpc().sync("C", GradientFunctions::fetched, there).sum();
      context.backward(loss);
      assertClose("x", context.gradient(x), local.grad());
      assertClose("B", gradientOn(a, "B"), expected.weight("B").grad());
      assertClose("C", gradientOn(a, "C"), expected.weight("C").grad());
    }
  }

  @Test
  void gradientsMatchForCallThroughReference() {
    Variable x = input(1);
    try (Context context = autograd.open();
        RRef<Variable> weight = a.rpc().sync("B", GradientFunctions::weightRef)) {
      Function<Variable> mul = Function.named(Variable.class, "mul", Variable.class);
      Variable loss = weight.sync(mul, x).sum();
      context.backward(loss);
      assertThat(doubles(gradientOn(a, "B"))).containsExactly(x.value().toDoubles());
    }
  }

  @Test
  void passIsRunByWorkerOtherThanOriginator() {
    Variable x = input(1);
    Variable local = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    expected.weight("B").mul(expected.call("C", GradientFunctions::times, local)).sum().backward();
    try (Context context = autograd.open()) {
      ProgramHost world = ProgramHost.of(a);
      Variable y = world.call("C", GradientFunctions::times, x);
      world.call("B", GradientFunctions::backward, y, false);
      assertClose("x", context.gradient(x), local.grad());
      assertClose("B", gradientOn(a, "B"), expected.weight("B").grad());
      assertClose("C", gradientOn(a, "C"), expected.weight("C").grad());
    }
  }

  /** C has not heard that A's pass is over when B's pass reaches it. */
  @Test
  void passOfAnotherWorkerFollowsRetainedPass() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      ProgramHost world = ProgramHost.of(a);
      Variable y = world.call("C", GradientFunctions::times, x);
      context.backward(true, y.sum());
      world.call("B", GradientFunctions::backward, y, false);
      assertThat(gradientOn(a, "C")).isNotNull();
      assertThat(gradientOn(a, "B")).isNotNull();
    }
  }

  /** The message with the data for B's plan is overtaken by one that relies on that data. */
  @Test
  void passCompletesPlanWhenPartIsMissing() throws Exception {
    Variable x = input(1);
    Variable local = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable z = expected.call("C", GradientFunctions::times, local);
    expected.weight("B").mul(z).sum().backward();
    try (Context context = autograd.open();
        RequestHold hold = RequestHold.of("GradientFunctions::first")) {
      ProgramHost world = ProgramHost.of(a);
      Variable y = world.call("C", GradientFunctions::times, x);
      CompletableFuture<Variable> carrier = world.async("B", GradientFunctions::first, y, y);
      hold.awaitHeld();
      world.call("B", GradientFunctions::backward, y, true);
      assertClose("x", context.gradient(x), local.grad());
      assertClose("B", gradientOn(a, "B"), expected.weight("B").grad());
      assertClose("C", gradientOn(a, "C"), expected.weight("C").grad());
      hold.close();
      assertThat(carrier.get(20, TimeUnit.SECONDS).requiresGrad()).isTrue();
    }
  }

  @Test
  void gradientsMatchForManyPassesInOneContext() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
      for (int i = 0; i < 100; i++) {
        context.backward(true, loss);
      }
      double[] weight = ProgramHost.newWeight("B").value().toDoubles();
      double[] sum = new double[6];
      for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 6; k++) {
          sum[k] += weight[k];
        }
      }
      assertThat(doubles(context.gradient(x))).containsExactly(sum);
      assertThat(gradientOn(a, "B")).isNotNull();
    }
  }

  @Test
  void rootIsRefusedWhenInvalid() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      assertFails(context::backward, Status.BAD_ARGUMENT, "no roots");
      assertFails(() -> context.backward(x), Status.BAD_ARGUMENT, "shape=[2, 3]");
      assertFails(() -> context.backward(x.detach().sum()), Status.BAD_ARGUMENT, "no gradient");
      Variable received = ProgramHost.of(a).call("B", GradientFunctions::times, x);
      assertFails(() -> received.sum().backward(), Status.BAD_ARGUMENT, "Context.backward");
    }
  }

  @Test
  void contextStaysUsableAfterForwardFailure() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      ProgramHost world = ProgramHost.of(a);
      assertFails(
          () -> a.rpc().sync("B", GradientFunctions::broken, x),
          Status.USER_ERROR,
          "worker B",
          "no 6 today");
      context.backward(world.call("B", GradientFunctions::times, x).sum());
      assertClose("x", context.gradient(x), ProgramHost.newWeight("B").value());
    }
  }
}
