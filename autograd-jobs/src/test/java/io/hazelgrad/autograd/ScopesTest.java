package io.hazelgrad.autograd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Scopes without recording, scopes that look for anomalies, and hooks. */
class ScopesTest {
  private static Variable parameter(double... values) {
    return Variable.parameter(Tensor.of(values, values.length));
  }

  private static double[] grad(Variable leaf) {
    return Objects.requireNonNull(leaf.grad()).toDoubles();
  }

  private static void assertFails(ThrowingCallable call, Status status, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(GridException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContainingAll(parts);
  }

  @Test
  void graphIsNotRecordedWithoutGradients() {
    Variable x = parameter(1, 2);
    try (NoGrad outer = NoGrad.begin()) {
      assertThat(x.mul(x).requiresGrad()).isFalse();
      assertThat(NoGrad.<Boolean>within(() -> x.sum().requiresGrad())).isFalse();
      assertThat(NoGrad.isActive()).isTrue();
      assertThat(CompletableFuture.supplyAsync(() -> x.sum().requiresGrad()).join())
          .as("on another thread")
          .isTrue();
      outer.close(); // And once more below.
    }
    assertThat(NoGrad.isActive()).isFalse();
    Variable constant = NoGrad.within(() -> x.mul(x));
    constant.mul(x).sum().backward();
    assertThat(grad(x)).as("the square is a constant").containsExactly(1, 4);
  }

  @Test
  void hooksChangeGradientsInOrderUntilRemoved() {
    Variable x = parameter(1, 2);
    Variable y = x.mul(x);
    List<double[]> seen = new ArrayList<>();
    Variable.Hook doubling = y.hook(g -> Variable.of(g).add(Variable.of(g)).value());
    y.hook(
        g -> {
          seen.add(g.toDoubles());
          return g;
        });
    try (Variable.Hook negating = x.hook(g -> Variable.of(g).neg().value())) {
      y.add(y).sum().backward(true);
    }
    assertThat(seen).as("both uses of y, doubled").containsExactly(new double[] {4, 4});
    assertThat(grad(x)).containsExactly(-8, -16);

    x.zeroGrad();
    doubling.close();
    y.add(y).sum().backward();
    assertThat(grad(x)).containsExactly(4, 8);
  }

  @Test
  void passFailsAndAddsNothingWhenHookReturnsWrongGradient() {
    Variable x = parameter(1, 2);
    Variable y = x.mul(x);
    y.hook(g -> Tensor.of(new double[] {1}, 1));
    assertFails(
        () -> y.sum().backward(), Status.BAD_ARGUMENT, "mul", "a hook must return", "[2]", "[1]");
    assertThat(x.grad()).isNull();
    assertFails(() -> x.detach().hook(g -> g), Status.BAD_ARGUMENT, "needs no gradient");
  }

  @Test
  void anomalyNamesFirstResultThatIsNotFinite() {
    Variable x = parameter(1, -1, 0);
    assertThat(Variable.apply("log", x).value().toDoubles()[1]).isNaN();
    assertFails(
        () -> AnomalyMode.within(() -> Variable.apply("log", x).exp().sum()),
        Status.BAD_VALUE,
        "log, called at",
        "ScopesTest.java",
        "gave NaN as element 1");
    assertThat(AnomalyMode.isActive()).isFalse();
  }

  @Test
  void anomalyNamesFirstGradientThatIsNotFinite() {
    Variable x = parameter(4, 0);
    Variable root = AnomalyMode.within(() -> Variable.apply("sqrt", x).mul(x).sum());
    // 0 * inf: the root's slope at 0 is infinite, and what comes to it is 0.
    assertFails(
        root::backward,
        Status.PASS_FAILED,
        "the gradient of sqrt, called at",
        "ScopesTest.java",
        "input 0 has NaN as element 1");
    assertThat(x.grad()).isNull();
  }

  /** A tensor does not change, unless somebody writes into the array that it was made over. */
  @Test
  void backwardFailsWhenSavedValueHasChanged() {
    double[] array = {1, 2};
    Variable x = Variable.parameter(Tensor.wrap(array, 2));
    Variable root = AnomalyMode.within(() -> x.mul(x).sum());
    root.backward(true);
    assertThat(grad(x)).containsExactly(2, 4);
    array[1] = 7;
    assertFails(
        root::backward,
        Status.BAD_VALUE,
        "the gradient of mul, called at",
        "ScopesTest.java",
        "has changed since then",
        "Tensor.wrap()");
    assertThat(grad(x)).containsExactly(2, 4);
    array[1] = 2;
    root.backward();
    assertThat(grad(x)).containsExactly(4, 8);
  }

  @Test
  void backwardSucceedsWhenLeafWasSet() {
    Variable x = parameter(1, 2);
    Variable root = AnomalyMode.within(() -> x.mul(x).sum());
    x.set(Tensor.of(new double[] {5, 6}, 2));
    root.backward();
    assertThat(grad(x)).containsExactly(2, 4);
  }
}
