package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.autograd.internal.ops.Specimens;
import io.hazelgrad.autograd.internal.ops.Specimens.Specimen;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever comes in, an operation gives a result or a failure of the documented kind. Arguments
 * that fit are spoiled at random, since purely random ones would hardly pass the first check.
 */
class FuzzTest {
  private static final int CALLS = Boolean.getBoolean("hazelgrad.tests.full") ? 30_000 : 5_000;

  private static final double[] ELEMENTS = {
    0,
    -0.0,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    1e300,
    -1e-300,
    127,
    -1,
    2,
    1L << 40
  };
  private static final long[] INDICES = {-1, -7, 5, 7, 1L << 33, Long.MIN_VALUE, Long.MAX_VALUE};
  private static final Object[] VALUES = {
    0,
    1,
    -1,
    2,
    3,
    -2,
    7,
    1L << 31,
    1L << 33,
    -(1L << 40),
    1L << 62,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    0.5,
    -0.0,
    1e308,
    Double.NaN,
    Double.NEGATIVE_INFINITY,
    true,
    false,
    "mean",
    "sum",
    "none",
    "tanh",
    "",
    List.of(),
    List.of(0, 0),
    List.of(1, 0),
    List.of(-1, 2),
    List.of(1L << 31, 1),
    List.of(1L << 62, 4),
    List.of(Long.MIN_VALUE, Long.MAX_VALUE),
    List.of("a"),
    List.of(1.5),
    List.of(List.of(1)),
    new long[33]
  };

  private final Backend backend = new CpuBackend();
  private final List<String> names = List.copyOf(Catalogue.names());

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void callsEndInResultOrGridException(long seed) {
    Random random = new Random(seed);
    Specimens specimens = new Specimens(random);
    int results = 0;
    for (int i = 0; i < CALLS; i++) {
      Specimen one = specimens.of(names.get(random.nextInt(names.size())));
      for (int spoils = random.nextInt(4); spoils > 0; spoils--) {
        one = spoiled(random, one);
      }
      if (call(random, one, "seed " + seed + " call " + i + ": " + one)) {
        results++;
      }
    }
    // Else the arguments would be too wild, or too tame, to try anything.
    assertThat(results).isBetween(CALLS / 5, CALLS * 4 / 5);
  }

  @Test
  void inputsOfEveryTypeAreComputedOrRefused() {
    Random random = new Random(1);
    Specimens specimens = new Specimens(random);
    for (String name : names) {
      for (DType dtype : DType.values()) {
        for (int i = 0; i < 10; i++) {
          Specimen one = specimens.of(name);
          List<Tensor> inputs = new ArrayList<>(one.inputs());
          // All of that type, or only one of them.
          int only = random.nextInt(2 * inputs.size());
          for (int at = 0; at < inputs.size(); at++) {
            if (only == at || only >= inputs.size()) {
              inputs.set(at, inputs.get(at).to(dtype));
            }
          }
          Specimen typed = new Specimen(name, one.attributes(), inputs);
          boolean unused = call(random, typed, dtype + " " + typed);
        }
      }
    }
  }

  private static Specimen spoiled(Random random, Specimen one) {
    List<Tensor> inputs = new ArrayList<>(one.inputs());
    Map<String, Object> attributes = new HashMap<>(one.attributes().asMap());
    int at = inputs.isEmpty() ? 0 : random.nextInt(inputs.size());
    int kind = inputs.isEmpty() ? 6 + random.nextInt(2) : random.nextInt(10);
    switch (kind) {
      case 0 -> inputs.set(at, elements(random, inputs.get(at).dtype(), shape(random)));
      case 1 -> {
        DType[] all = DType.values();
        inputs.set(at, inputs.get(at).to(all[random.nextInt(all.length)]));
      }
      case 2 -> inputs.set(at, elements(random, inputs.get(at).dtype(), inputs.get(at).shape()));
      case 3 -> inputs.set(at, index(random, inputs.get(at).shape()));
      case 4 -> inputs.remove(at);
      case 5 -> inputs.add(inputs.get(at));
      case 6, 7 -> {
        List<String> known = new ArrayList<>(Catalogue.get(one.operation()).attributes());
        known.add("x");
        Object value = VALUES[random.nextInt(VALUES.length)];
        attributes.put(known.get(random.nextInt(known.size())), value);
      }
      case 8 -> attributes.keySet().removeIf(name -> random.nextBoolean());
      default -> {
        Tensor other = inputs.set(random.nextInt(inputs.size()), inputs.get(at));
        inputs.set(at, other);
      }
    }
    return new Specimen(one.operation(), Attributes.of(attributes), inputs);
  }

  /** Calls forward and backward; returns whether there was a result. */
  private boolean call(Random random, Specimen one, String where) {
    Operation operation = Catalogue.get(one.operation());
    List<Tensor> inputs = one.inputs();
    Forward forward = orFailure(where, () -> operation.forward(backend, inputs, one.attributes()));
    if (forward == null) {
      return false;
    }
    List<TensorType> types = inputs.stream().map(TensorType::of).toList();
    assertThat(operation.check(types, one.attributes()))
        .as(where)
        .isEqualTo(TensorType.of(forward.output()));
    boolean[] needed = new boolean[inputs.size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = operation.differentiable(i) && types.get(i).dtype().isFloating();
    }
    Tensor output = forward.output();
    if (random.nextInt(4) == 0) {
      Tensor wrong = elements(random, output.dtype(), shape(random));
      List<Tensor> gradients =
          orFailure(
              where, () -> operation.backward(backend, forward.saved(), wrong, needed.clone()));
      assertThat(gradients != null).as(where).isEqualTo(wrong.hasShape(output.shape()));
    }
    List<Tensor> gradients =
        orFailure(where, () -> operation.backward(backend, forward.saved(), output, needed));
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
      assertThat(expected.status()).as(where).isIn(Status.BAD_ARGUMENT, Status.REJECTED);
      assertThat(expected).hasMessageContaining(": ");
      return null;
    } catch (RuntimeException wrong) {
      return fail(where, wrong);
    }
  }

  private static long[] shape(Random random) {
    long[] shape = new long[random.nextInt(5)];
    Arrays.setAll(shape, i -> random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(3));
    if (random.nextInt(20) == 0 && shape.length > 1) {
      shape[random.nextInt(shape.length)] = 1L << (20 + random.nextInt(40));
      shape[random.nextInt(shape.length)] = 0; // An empty tensor may be that wide.
    }
    return Arrays.stream(shape).anyMatch(n -> n > 3) && !Arrays.stream(shape).anyMatch(n -> n == 0)
        ? new long[] {0}
        : shape;
  }

  private static Tensor elements(Random random, DType dtype, long[] shape) {
    double[] data = new double[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      data[i] =
          random.nextInt(4) == 0 ? ELEMENTS[random.nextInt(ELEMENTS.length)] : random.nextInt(3);
    }
    return Tensor.wrap(data, shape).to(dtype);
  }

  private static Tensor index(Random random, long[] shape) {
    long[] data = new long[(int) Tensor.sizeOf(shape)];
    for (int i = 0; i < data.length; i++) {
      data[i] =
          random.nextInt(5) == 0 ? INDICES[random.nextInt(INDICES.length)] : random.nextInt(3);
    }
    return Tensor.wrap(data, shape);
  }
}
