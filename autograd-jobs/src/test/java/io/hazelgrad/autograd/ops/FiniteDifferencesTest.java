package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.autograd.internal.ops.Specimens;
import io.hazelgrad.autograd.internal.ops.Specimens.Specimen;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Gradients agree with what a small step in each element does to the output. */
class FiniteDifferencesTest {
  private static final double STEP = 1e-5;
  private static final int RANDOM_CASES = 60;
  private static final Attributes NONE = Attributes.none();

  /** An operation with arguments to try it on. */
  private record Case(String operation, Attributes attributes, List<Tensor> inputs) {
    @Override
    public String toString() {
      return operation + " " + attributes + " " + inputs.stream().map(TensorType::of).toList();
    }
  }

  private final Backend backend = new CpuBackend();
  private final Random random = new Random(42);
  private final List<Case> cases = cases();

  @TestFactory
  Stream<DynamicTest> gradientsMatchFiniteDifferences() {
    return cases.stream().map(c -> dynamicTest(c.toString(), () -> check(c)));
  }

  /** With random arguments of every operation. */
  @TestFactory
  Stream<DynamicTest> gradientsMatchFiniteDifferencesForRandomArguments() {
    return Catalogue.names().stream()
        .map(
            name ->
                dynamicTest(
                    name,
                    () -> {
                      for (long seed = 0; seed < RANDOM_CASES; seed++) {
                        Specimen one = new Specimens(new Random(seed)).of(name);
                        try {
                          check(new Case(name, one.attributes(), one.inputs()));
                        } catch (GridException | AssertionError e) {
                          throw new AssertionError("seed " + seed + ": " + one, e);
                        }
                      }
                    }));
  }

  private List<Case> cases() {
    List<Case> all = new ArrayList<>();
    long[][][] pairs = {
      {{2, 3}, {2, 3}},
      {{2, 3}, {3}},
      {{3}, {2, 3}},
      {{2, 1}, {2, 3}},
      {{2, 3}, {}},
      {{}, {}},
      {{2, 1, 3}, {4, 1}},
      {{1}, {2, 2, 2}},
      {{2, 3, 2, 2}, {3, 1, 2}},
      {{0, 3}, {1}}
    };
    for (long[][] pair : pairs) {
      for (String operation : List.of("add", "sub", "mul", "div")) {
        add(all, operation, NONE, pair);
      }
      for (String reduction : List.of("mean", "sum", "none")) {
        add(all, "mse_loss", Attributes.of("reduction", reduction), pair);
      }
    }
    add(all, "add", Attributes.of("alpha", -1.5), new long[] {2}, new long[] {3, 2});
    add(all, "sub", Attributes.of("alpha", 3), new long[] {2}, new long[] {3, 2});
    long[][] shapes = {{}, {5}, {2, 3}, {2, 3, 2}, {3, 0}, {1, 4, 1}};
    for (long[] shape : shapes) {
      for (String operation :
          List.of("neg", "exp", "relu", "sigmoid", "tanh", "identity", "sum", "mean")) {
        add(all, operation, NONE, shape);
      }
      add(all, "log_softmax", Attributes.of("dim", -1), shape);
      add(all, "log_softmax", Attributes.of("dim", 0), shape);
      add(all, "transpose", Attributes.of("dim0", 0, "dim1", -1), shape);
      add(all, "reshape", Attributes.of("shape", List.of(1, Tensor.sizeOf(shape))), shape);
      add(all, "sum", Attributes.of("dim", 0, "keepdim", true), shape);
    }
    for (String operation : List.of("sum", "mean")) {
      for (List<Integer> dims :
          List.of(List.of(0), List.of(1), List.of(2, 0), List.of(-1, -2), List.of(3, 1))) {
        add(all, operation, Attributes.of("dim", dims), new long[] {2, 3, 2, 2});
        add(all, operation, Attributes.of("dim", dims, "keepdim", true), new long[] {2, 3, 2, 2});
      }
    }
    add(all, "log_softmax", Attributes.of("dim", 1), new long[] {2, 3, 2});
    add(all, "transpose", Attributes.of("dim0", 1, "dim1", 2), new long[] {2, 3, 4, 2});
    long[][][] products = {
      {{2, 3}, {3, 4}},
      {{3}, {3}},
      {{2, 3}, {3}},
      {{3}, {3, 2}},
      {{2, 2, 3}, {2, 3, 2}},
      {{2, 1, 2, 3}, {3, 3, 2}},
      {{2, 2, 3}, {3, 2}},
      {{2, 3}, {2, 3, 2}},
      {{2, 2, 3}, {3}},
      {{3}, {2, 3, 2}},
      {{1, 2, 3}, {4, 3, 1}},
      {{2, 0}, {0, 3}},
      {{0, 2}, {2, 3}},
      {{1, 5}, {5, 1}}
    };
    for (long[][] product : products) {
      add(all, "matmul", NONE, product);
    }
    add(all, "linear", NONE, new long[] {2, 3}, new long[] {4, 3}, new long[] {4});
    add(all, "linear", NONE, new long[] {2, 3}, new long[] {4, 3});
    add(all, "linear", NONE, new long[] {3}, new long[] {4, 3}, new long[] {4});
    add(all, "linear", NONE, new long[] {2, 2, 3}, new long[] {1, 3}, new long[] {1});
    for (String reduction : List.of("mean", "sum", "none")) {
      for (String operation : List.of("nll_loss", "cross_entropy")) {
        for (Map<String, Object> more :
            List.<Map<String, Object>>of(
                Map.of(), Map.of("ignore_index", 1), Map.of("label_smoothing", 0.25))) {
          if (operation.equals("cross_entropy") || !more.containsKey("label_smoothing")) {
            addClassLosses(all, operation, reduction, more);
          }
        }
      }
    }
    return all;
  }

  private void addClassLosses(
      List<Case> all, String operation, String reduction, Map<String, Object> more) {
    Map<String, Object> values = new HashMap<>(more);
    values.put("reduction", reduction);
    Attributes attributes = Attributes.of(values);
    Tensor weight = Tensor.of(new double[] {0.5, 2, 1}, 3);
    long ignored = attributes.integer(operation, "ignore_index", -100);
    Tensor targets = Samples.longs(2, 1, ignored, 0);
    Tensor scalar = Tensor.of(new long[] {2});
    Tensor planes = Tensor.of(new long[] {0, 1, 2, 2, 1, 0, ignored, 1}, 2, 2, 2);
    all.add(new Case(operation, attributes, List.of(tensor(4, 3), targets)));
    all.add(new Case(operation, attributes, List.of(tensor(4, 3), targets, weight)));
    all.add(new Case(operation, attributes, List.of(tensor(3), scalar, weight)));
    all.add(new Case(operation, attributes, List.of(tensor(2, 3, 2, 2), planes)));
    all.add(new Case(operation, attributes, List.of(tensor(2, 3, 2, 2), planes, weight)));
  }

  private void add(List<Case> all, String operation, Attributes attributes, long[]... shapes) {
    List<Tensor> inputs = new ArrayList<>();
    for (long[] shape : shapes) {
      inputs.add(tensor(shape));
    }
    all.add(new Case(operation, attributes, inputs));
  }

  private Tensor tensor(long... shape) {
    return Samples.random(random, shape);
  }

  private void check(Case c) {
    Operation operation = Catalogue.get(c.operation());
    Forward forward = operation.forward(backend, c.inputs(), c.attributes());
    Tensor upstream = Samples.random(new Random(1), forward.output().shape());
    boolean[] needed = new boolean[c.inputs().size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = operation.differentiable(i) && c.inputs().get(i).dtype().isFloating();
    }
    if (!forward.output().dtype().isFloating()) {
      assertThat(needed).as("inputs with a gradient").containsOnly(false);
      return;
    }
    List<Tensor> gradients = operation.backward(backend, forward.saved(), upstream, needed);
    for (int i = 0; i < needed.length; i++) {
      if (!needed[i]) {
        assertThat(gradients.get(i)).isNull();
        continue;
      }
      assertThat(TensorType.of(gradients.get(i))).isEqualTo(TensorType.of(c.inputs().get(i)));
      double[] gradient = gradients.get(i).toDoubles();
      for (int at = 0; at < gradient.length; at++) {
        double slope =
            (value(c, upstream, i, at, STEP) - value(c, upstream, i, at, -STEP)) / (2 * STEP);
        if (Double.isNaN(slope)) {
          slope = 0; // The mean of nothing is NaN, but nothing in it depends on the input.
        }
        assertThat(gradient[at])
            .as("input " + i + " element " + at)
            .isCloseTo(slope, within(1e-6 * Math.max(1, Math.abs(slope))));
      }
    }
  }

  /** Returns sum(output * upstream) after a step in one element. */
  private double value(Case c, Tensor upstream, int input, int at, double step) {
    double[] data = c.inputs().get(input).toDoubles();
    data[at] += step;
    List<Tensor> inputs = new ArrayList<>(c.inputs());
    inputs.set(input, Tensor.wrap(data, c.inputs().get(input).shape()));
    Tensor output = Catalogue.get(c.operation()).forward(backend, inputs, c.attributes()).output();
    double sum = 0;
    for (int i = 0; i < output.size(); i++) {
      sum += output.storage().getDouble(i) * upstream.storage().getDouble(i);
    }
    return sum;
  }
}
