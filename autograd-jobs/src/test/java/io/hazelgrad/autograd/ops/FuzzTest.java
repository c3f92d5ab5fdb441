package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes in, an operation gives a result or a failure of the documented kind. */
class FuzzTest {
  private static final double[] SPECIAL = {
    0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300, -1e-300, 127
  };

  private static final List<DType> USUAL = List.of(DType.FLOAT64, DType.FLOAT32, DType.FLOAT16);
  private static final List<DType> ALL = List.of(DType.values());

  private final Backend backend = new CpuBackend();
  private final List<String> names = List.copyOf(Catalogue.names());

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyCallEndsInAResultOrAGridException(long seed) {
    Random random = new Random(seed);
    int results = 0;
    for (int i = 0; i < 10_000; i++) {
      if (callAtRandom(random, "seed " + seed + " call " + i)) {
        results++;
      }
    }
    // Else the arguments would be too wild to try anything.
    assertThat(results).isGreaterThan(1000);
  }

  @Test
  void everyTypeOfInputIsComputedOrRefused() {
    for (String name : names) {
      for (DType a : DType.values()) {
        for (DType b : DType.values()) {
          for (long[] shape : new long[][] {{}, {2, 2}}) {
            Tensor left = Samples.counting(a, 2, 2);
            Tensor right = Tensor.full(b, 1, shape);
            Operation operation = Catalogue.get(name);
            List<Tensor> inputs = operation.maxInputs() == 1 ? List.of(left) : List.of(left, right);
            call(operation, inputs, Attributes.none(), name + inputs);
          }
        }
      }
    }
  }

  private boolean callAtRandom(Random random, String where) {
    Operation operation = Catalogue.get(names.get(random.nextInt(names.size())));
    int count = operation.minInputs();
    if (random.nextInt(4) == 0) {
      count = random.nextInt(4);
    }
    long[] shape = shape(random);
    DType dtype = USUAL.get(random.nextInt(USUAL.size()));
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long[] other = random.nextInt(3) == 0 ? shape(random) : shape;
      boolean strange = random.nextInt(6) == 0;
      inputs.add(tensor(random, strange ? ALL.get(random.nextInt(ALL.size())) : dtype, other));
    }
    if (operation.name().endsWith("_loss") && inputs.size() > 1 && random.nextBoolean()) {
      long[] classes = shape.length < 2 ? new long[0] : Shapes.without(shape, 1);
      inputs.set(1, tensor(random, DType.INT64, classes));
    }
    Attributes attributes = attributes(random, operation.name());
    return call(
        operation,
        inputs,
        attributes,
        where
            + ": "
            + operation.name()
            + inputs.stream().map(TensorType::of).toList()
            + attributes);
  }

  /** Calls forward and backward; returns whether there was a result. */
  private boolean call(
      Operation operation, List<Tensor> inputs, Attributes attributes, String where) {
    Forward forward = orFailure(where, () -> operation.forward(backend, inputs, attributes));
    if (forward == null) {
      return false;
    }
    List<TensorType> types = inputs.stream().map(TensorType::of).toList();
    assertThat(operation.check(types, attributes))
        .as(where)
        .isEqualTo(TensorType.of(forward.output()));
    boolean[] needed = new boolean[inputs.size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = operation.differentiable(i) && types.get(i).dtype().isFloating();
    }
    Tensor gradient = forward.output();
    List<Tensor> gradients =
        orFailure(where, () -> operation.backward(backend, forward.saved(), gradient, needed));
    assertThat(gradients).as(where).isNotNull();
    for (int i = 0; i < needed.length; i++) {
      if (needed[i]) {
        assertThat(TensorType.of(gradients.get(i))).as(where).isEqualTo(types.get(i));
      }
    }
    return true;
  }

  private static <T> T orFailure(String where, Supplier<T> call) {
    try {
      return call.get();
    } catch (GridException expected) {
      assertThat(expected).hasMessageContaining(":");
      return null;
    } catch (RuntimeException wrong) {
      return fail(where, wrong);
    }
  }

  private static long[] shape(Random random) {
    long[] shape = new long[random.nextInt(5)];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(3);
    }
    if (random.nextInt(200) == 0 && shape.length > 1) {
      shape[0] = 0;
      shape[1] = 1L << (20 + random.nextInt(40)); // An empty tensor may be that wide.
    }
    return shape;
  }

  private static Tensor tensor(Random random, DType dtype, long[] shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      data[i] =
          random.nextInt(10) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextInt(3);
    }
    return Tensor.wrap(data, shape).to(dtype);
  }

  private static Attributes attributes(Random random, String operation) {
    Map<String, Object> values = new HashMap<>();
    boolean wild = random.nextInt(5) == 0;
    switch (operation) {
      case "add", "sub" -> put(random, values, "alpha", random.nextInt(5) - 2);
      case "sum", "mean", "log_softmax" -> {
        put(random, values, "dim", random.nextInt(6) - 3);
        if (!operation.equals("log_softmax")) {
          put(random, values, "keepdim", random.nextBoolean());
        }
      }
      case "transpose" -> {
        values.put("dim0", random.nextInt(7) - 3);
        values.put("dim1", random.nextInt(7) - 3);
      }
      case "reshape" -> values.put("shape", random.nextBoolean() ? List.of(-1) : List.of(2, -1));
      case "mse_loss", "nll_loss", "cross_entropy" ->
          values.put("reduction", List.of("mean", "sum", "none").get(random.nextInt(3)));
      default -> wild = random.nextInt(20) == 0;
    }
    if (wild) {
      String[] names = {
        "dim", "shape", "dim0", "reduction", "ignore_index", "label_smoothing", "x"
      };
      Object[] wildValues = {
        1, -1, Long.MIN_VALUE, 0.3, Double.NaN, true, "mean", List.of(), List.of(0, 0), List.of("a")
      };
      values.put(
          names[random.nextInt(names.length)], wildValues[random.nextInt(wildValues.length)]);
    }
    return Attributes.of(values);
  }

  private static void put(Random random, Map<String, Object> values, String name, Object value) {
    if (random.nextInt(3) > 0) {
      values.put(name, value);
    }
  }
}
