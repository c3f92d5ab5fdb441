package io.hazelgrad.autograd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.tape.Edge;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.autograd.internal.tape.SendNode;
import io.hazelgrad.autograd.internal.tape.TapeVariable;
import io.hazelgrad.autograd.internal.tape.TypeAndDevice;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Backward passes within one process, outside of contexts. */
class LocalBackwardTest {
  private static Variable parameter(double... values) {
    return Variable.parameter(Tensor.of(values, values.length));
  }

  private static Variable random(Random random, long... shape) {
    long size = 1;
    for (long extent : shape) {
      size *= extent;
    }
    return Variable.parameter(Tensor.wrap(random.doubles(size, -1, 1).toArray(), shape));
  }

  private static double[] grad(Variable leaf) {
    return Objects.requireNonNull(leaf.grad()).toDoubles();
  }

  private static void assertFails(ThrowingCallable call, Status status, String part) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(GridException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContaining(part);
  }

  @Test
  void gradientsOfNetworkMatchFiniteDifferences() {
    Random random = new Random(7);
    Variable x = Variable.of(random(random, 5, 3).value());
    Variable target = Variable.of(Tensor.of(new long[] {0, 3, 1, 2, 3}, 5));
    List<Variable> parameters =
        List.of(random(random, 6, 3), random(random, 6), random(random, 4, 6), random(random, 4));
    Function<List<Variable>, Variable> loss =
        p -> x.linear(p.get(0), p.get(1)).tanh().linear(p.get(2), p.get(3)).crossEntropy(target);

    loss.apply(parameters).backward();

    double step = 1e-6;
    for (Variable parameter : parameters) {
      Tensor before = parameter.value();
      double[] expected = new double[before.size()];
      for (int i = 0; i < expected.length; i++) {
        double[] moved = before.toDoubles();
        moved[i] += step;
        parameter.set(Tensor.of(moved, before.shape()));
        double above = loss.apply(parameters).value().item();
        moved[i] -= 2 * step;
        parameter.set(Tensor.of(moved, before.shape()));
        expected[i] = (above - loss.apply(parameters).value().item()) / (2 * step);
      }
      parameter.set(before);
      assertThat(grad(parameter)).containsExactly(expected, within(1e-8));
    }
  }

  @Test
  void gradientsAddUpUntilCleared() {
    Variable x = parameter(1, 2);
    x.mul(x).sum().backward();
    x.mul(x).sum().backward();
    assertThat(grad(x)).containsExactly(4, 8);
    x.zeroGrad();
    assertThat(x.grad()).isNull();
    x.sum().backward();
    assertThat(grad(x)).containsExactly(1, 1);
  }

  @Test
  void retainedGraphGivesTheSameGradientAgain() {
    Variable x = parameter(1, 2);
    Variable loss = x.mul(x).sum();
    loss.backward(true);
    loss.backward(true);
    loss.backward();
    assertThat(grad(x)).containsExactly(6, 12);
    assertFails(loss::backward, Status.GRAPH_FREED, "mul");
    assertThat(grad(x)).containsExactly(6, 12);
  }

  @Test
  void backwardIsRefusedBeforeChangesWhenPartIsFreed() {
    Variable x = parameter(1, 2);
    Variable y = parameter(3, 4);
    Variable shared = x.mul(x);
    shared.sum().backward();
    assertFails(() -> shared.mul(y).sum().backward(), Status.GRAPH_FREED, "mul");
    assertThat(y.grad()).isNull();
  }

  @Test
  void gradientsAddUpWhenLeafIsUsedTwice() {
    Variable x = parameter(2, 3);
    x.mul(x).add(x).mul(x).sum().backward(); // x^3 + x^2
    assertThat(grad(x)).containsExactly(16, 33);
  }

  @Test
  void gradientsAddUpInDiamonds() {
    Variable x = parameter(0.5, -2);
    Variable a = x.mul(x);
    Variable left = a.tanh();
    Variable right = a.exp().add(left);
    left.mul(right).add(a).sum().backward();
    double[] expected = new double[2];
    double[] at = {0.5, -2};
    for (int i = 0; i < 2; i++) {
      double v = at[i];
      double t = Math.tanh(v * v);
      double e = Math.exp(v * v);
      double dt = 1 - t * t;
      expected[i] = (dt * (e + t) + t * (e + dt) + 1) * 2 * v;
    }
    assertThat(grad(x)).containsExactly(expected, within(1e-9));
  }

  @Test
  void tenThousandOperationsNeedNoDeepStack() {
    Variable x = parameter(1, 2);
    Variable y = x;
    for (int i = 0; i < 10_000; i++) {
      y = i % 2 == 0 ? y.neg() : y.add(x);
    }
    Variable loss = y.sum();
    loss.backward();
    assertThat(grad(x)[0]).isEqualTo(loss.value().item() / 3, within(1e-6));
  }

  @Test
  void laddersOfDiamondsTakeLinearTime() {
    Variable x = parameter(1);
    Variable y = x;
    for (int i = 0; i < 1_000; i++) {
      y = y.add(y); // Paths double with each step; nodes do not.
      y = y.mul(Variable.of(Tensor.of(new double[] {0.5}, 1)));
    }
    y.sum().backward();
    assertThat(grad(x)).containsExactly(1);
  }

  @Test
  void twoRunsGiveTheSameBits() {
    double[][] runs = new double[2][];
    for (int run = 0; run < runs.length; run++) {
      Random random = new Random(3);
      Variable w = random(random, 4, 4);
      Variable y = w;
      for (int i = 0; i < 20; i++) {
        y = y.matmul(w).tanh().add(w.mul(y));
      }
      y.sum().backward();
      runs[run] = grad(w);
    }
    assertThat(runs[1]).containsExactly(runs[0]);
  }

  @Test
  void gradientIsOneWhenRootIsLeaf() {
    Variable x = Variable.parameter(Tensor.scalar(3));
    x.backward();
    assertThat(grad(x)).containsExactly(1);
  }

  @Test
  void leafHasNoGradientWhenNotRequired() {
    Variable x = parameter(1, 2);
    Variable constant = Variable.of(Tensor.of(new double[] {3, 4}, 2));
    x.mul(constant).add(x.detach()).sum().backward();
    assertThat(grad(x)).containsExactly(3, 4);
    assertThat(constant.grad()).isNull();
  }

  @Test
  void rootIsRefusedWhenInvalid() {
    Variable x = parameter(1, 2);
    assertFails(x::backward, Status.BAD_ARGUMENT, "shape=[2]");
    assertFails(() -> x.detach().sum().backward(), Status.BAD_ARGUMENT, "needs no gradient");
  }

  @Test
  void integersHaveNoGradients() {
    assertFails(
        () -> Variable.parameter(Tensor.of(new long[] {1}, 1)), Status.BAD_ARGUMENT, "INT64");
  }

  @Test
  void valueIsSetOnLeavesOnly() {
    Variable x = parameter(1, 2);
    assertFails(
        () -> x.neg().set(Tensor.of(new double[] {1, 2}, 2)), Status.BAD_ARGUMENT, "only a leaf");
    assertFails(() -> x.set(Tensor.scalar(1)), Status.BAD_ARGUMENT, "keeps its type and shape");
  }

  @Test
  void resultsStayWhenParameterIsReplaced() {
    Variable x = parameter(1, 2);
    Variable loss = x.mul(x).sum();
    x.set(Tensor.of(new double[] {5, 6}, 2));
    loss.backward();
    assertThat(grad(x)).containsExactly(2, 4);
  }

  @Test
  void backwardIsRefusedWithoutContextWhenValueIsRemote() {
    ContextState context = new ContextState(new ContextId(1, 1));
    RecvNode node =
        context.receive(
            2, List.of(new MessageDescriptor(new MessageId(2, 1), 1, 1, List.<MessageId>of())));
    Variable received = TapeVariable.computed(Tensor.of(new double[] {1, 2}, 2), node, 0);
    assertFails(() -> received.sum().backward(), Status.BAD_ARGUMENT, "use Context.backward");
  }

  @Test
  void gradientIsRefusedWhenShapeIsWrong() {
    SendNode node =
        new SendNode(
            new MessageId(1, 1),
            List.<Edge>of(),
            List.of(TypeAndDevice.of(Tensor.of(new double[] {1, 2}, 2))));
    assertFails(
        () -> node.accept(List.of(Tensor.scalar(1))), Status.PASS_FAILED, "must be FLOAT64 [2]");
    assertFails(() -> node.accept(List.of()), Status.PASS_FAILED, "takes 1 gradients, got 0");
  }

  @Test
  void hooksAfterAccumulationSeeSum() {
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    List<double[]> seen = new ArrayList<>();
    Variable.Hook doubling = x.hook(g -> Variable.of(g).add(Variable.of(g)).value());
    Variable.Hook hook =
        x.hookAfterAccumulation(
            gradient -> {
              assertThat(x.grad()).isSameAs(gradient);
              seen.add(gradient.toDoubles());
            });
    x.mul(x).sum().backward();
    x.sum().backward();
    assertThat(seen).containsExactly(new double[] {4, 8}, new double[] {6, 10});
    doubling.close();
    hook.close();
    x.sum().backward();
    assertThat(seen).hasSize(2);
  }

  @Test
  void hookAfterAccumulationMayMakeStep() {
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    x.hookAfterAccumulation(
        gradient -> {
          x.set(Variable.of(x.value()).sub(Variable.of(gradient)).value());
          x.zeroGrad();
        });
    x.mul(x).sum().backward();
    assertThat(x.value().toDoubles()).containsExactly(-1, -2);
    assertThat(x.grad()).isNull();
  }

  @Test
  void gradientsStayWhenHookAfterAccumulationThrows() {
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    x.hookAfterAccumulation(
        gradient -> {
          throw new IllegalStateException("on purpose");
        });
    x.sum().backward();
    assertThat(Objects.requireNonNull(x.grad()).toDoubles()).containsExactly(1, 1);
  }

  @Test
  void hooksAfterAccumulationAreForLeavesOnly() {
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2}, 2));
    assertFails(
        () -> x.sum().hookAfterAccumulation(gradient -> {}), Status.BAD_ARGUMENT, "only a leaf");
    assertFails(
        () -> x.detach().hookAfterAccumulation(gradient -> {}), Status.BAD_ARGUMENT, "only a leaf");
  }
}
