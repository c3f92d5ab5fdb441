package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Samples;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Element types and special values are torch's where the golden cases do not reach. */
class SemanticsTest {
  private static final double NAN = Double.NaN;
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private final Backend backend = new CpuBackend();

  // The types of a and b, whether b is a scalar, and what torch.result_type says.
  @ParameterizedTest
  @CsvSource({
    "FLOAT32, FLOAT64, false, FLOAT64", "FLOAT32, FLOAT64, true, FLOAT32",
    "FLOAT16, BFLOAT16, false, FLOAT32", "FLOAT16, FLOAT64, true, FLOAT16",
    "INT64, FLOAT32, false, FLOAT32", "INT64, FLOAT16, true, FLOAT16",
    "INT64, FLOAT64, true, FLOAT64", "INT32, INT64, false, INT64",
    "INT32, INT64, true, INT32", "INT8, UINT8, false, INT16",
    "UINT8, INT16, false, INT16", "UINT8, INT64, true, UINT8",
    "BOOL, INT64, true, INT64", "BOOL, UINT8, false, UINT8",
    "BOOL, BOOL, false, BOOL", "FLOAT32, INT64, false, FLOAT32",
    "BOOL, FLOAT16, true, FLOAT16", "BFLOAT16, INT64, false, BFLOAT16"
  })
  void mixedTypesArePromotedAsTorchDoes(DType a, DType b, boolean scalar, DType wanted) {
    Tensor left = Samples.counting(a, 2);
    Tensor right = scalar ? Tensor.full(b, 1) : Tensor.full(b, 1, 2);

    assertThat(forward("add", left, right).dtype()).isEqualTo(wanted);
    assertThat(forward("mul", right, left).dtype()).isEqualTo(wanted);
  }

  @Test
  void scalarsOfTwoTypesPromoteEqually() {
    Tensor sum = forward("add", Tensor.full(DType.FLOAT32, 1), Tensor.full(DType.FLOAT64, 2));

    assertThat(sum).isEqualTo(Tensor.scalar(3));
  }

  @Test
  void integersDivideToFloat32() {
    Tensor quotient = forward("div", Samples.longs(1, -1, 0, 3), Samples.longs(0, 0, 0, 2));

    assertThat(quotient)
        .isEqualTo(
            Tensor.of(
                new float[] {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN, 1.5f},
                4));
  }

  @Test
  void integersOverflowInTheirWidth() {
    Tensor big = Tensor.of(new int[] {Integer.MAX_VALUE}, 1);
    Tensor bytes = Tensor.full(DType.INT8, 127, 1);

    assertThat(forward("add", big, big).toLongs()).containsExactly(-2);
    assertThat(forward("add", bytes, bytes).toLongs()).containsExactly(-2);
    assertThat(forward("neg", Tensor.full(DType.UINT8, 1, 1)).toLongs()).containsExactly(255);
    assertThat(forward("sum", bytes).dtype()).isEqualTo(DType.INT64);
  }

  @Test
  void booleanSumIsOrAndProductIsAnd() {
    Tensor a = Tensor.of(new boolean[] {false, false, true, true}, 4);
    Tensor b = Tensor.of(new boolean[] {false, true, false, true}, 4);

    assertThat(forward("add", a, b))
        .isEqualTo(Tensor.of(new boolean[] {false, true, true, true}, 4));
    assertThat(forward("mul", a, b))
        .isEqualTo(Tensor.of(new boolean[] {false, false, false, true}, 4));
    assertThat(forward("sum", a)).isEqualTo(Tensor.of(new long[] {2}));
  }

  @Test
  void gradientsHaveTypeOfInput() {
    Tensor a = Samples.counting(DType.FLOAT32, 2);
    Tensor b = Samples.counting(DType.FLOAT64, 2);

    List<Tensor> gradients = gradients("mul", Attributes.none(), Samples.doubles(1, 1), a, b);

    assertThat(gradients).containsExactly(b.to(DType.FLOAT32), a.to(DType.FLOAT64));
  }

  @Test
  void halfPrecisionIsRoundedOnlyOnce() {
    // 4000 * 100 is beyond FLOAT16's 65504, but the mean is not.
    Tensor x = Tensor.full(DType.FLOAT16, 100, 4000);

    assertThat(forward("mean", x)).isEqualTo(Tensor.full(DType.FLOAT16, 100));
    assertThat(forward("sum", x).item()).isInfinite();
    assertThat(gradients("mean", Attributes.none(), Tensor.full(DType.FLOAT16, 4000), x).get(0))
        .isEqualTo(Tensor.full(DType.FLOAT16, 1, 4000));
  }

  @Test
  void nanPassesThroughEverything() {
    Tensor x = Samples.doubles(NAN, -1);
    for (String name : List.of("neg", "exp", "relu", "sigmoid", "tanh", "identity")) {
      assertThat(forward(name, x).toDoubles()[0]).as(name).isNaN();
    }
    assertThat(forward("sum", x).item()).isNaN();
    assertThat(forward("log_softmax", Attributes.of("dim", 0), x).toDoubles())
        .containsExactly(NAN, NAN);
    assertThat(gradients("relu", Attributes.none(), Samples.doubles(5, 5), x).get(0).toDoubles())
        .containsExactly(5, 0);
    // 0 times NaN is NaN in a product, too: no zero may be skipped.
    Tensor zeros = Tensor.zeros(DType.FLOAT64, 2, 2);
    assertThat(forward("matmul", zeros, x).toDoubles()).containsExactly(NAN, NAN);
    assertThat(forward("matmul", zeros, Tensor.full(DType.FLOAT64, NAN, 2, 3)).toDoubles())
        .containsOnly(NAN);
  }

  @Test
  void saturatedFunctionsKeepDigits() {
    Tensor x = Samples.doubles(-INFINITY, -800, -40, 0, 40, 800, INFINITY, 1e-9);

    assertThat(forward("sigmoid", x).toDoubles())
        .containsExactly(
            new double[] {0, 0, Math.exp(-40), 0.5, 1, 1, 1, 0.5 + 0.25e-9}, within(1e-17));
    assertThat(forward("tanh", x).toDoubles())
        .containsExactly(new double[] {-1, -1, -1, 0, 1, 1, 1, 1e-9}, within(1e-25));
  }

  @Test
  void tanhMatchesJdk() {
    for (double x = -20; x <= 20; x += 0.0137) {
      assertThat(ScalarFunctions.tanh(x))
          .isCloseTo(Math.tanh(x), within(4 * Math.ulp(Math.tanh(x))));
    }
  }

  @Test
  void logSoftmaxIsZeroForOnlyFiniteElement() {
    Tensor x = Samples.doubles(-INFINITY, 3, -INFINITY);

    assertThat(forward("log_softmax", Attributes.of("dim", 0), x).toDoubles())
        .containsExactly(-INFINITY, 0, -INFINITY);
  }

  @Test
  void emptyTensorSumsToZeroAndHasNoMean() {
    Tensor none = Tensor.zeros(DType.FLOAT64, 2, 0);
    Attributes rows = Attributes.of("dim", 1);

    assertThat(forward("sum", none)).isEqualTo(Tensor.scalar(0));
    assertThat(forward("mean", none).item()).isNaN();
    assertThat(forward("sum", rows, none)).isEqualTo(Samples.doubles(0, 0));
    assertThat(forward("mean", rows, none)).isEqualTo(Samples.doubles(NAN, NAN));
    assertThat(forward("mean", Attributes.of("dim", 0), none)).isEqualTo(Samples.doubles());
    assertThat(forward("mse_loss", none, none).item()).isNaN();
    assertThat(forward("mse_loss", Attributes.of("reduction", "sum"), none, none).item()).isZero();
    assertThat(forward("matmul", none, Tensor.zeros(DType.FLOAT64, 0, 3)))
        .isEqualTo(Tensor.zeros(DType.FLOAT64, 2, 3));
  }

  @Test
  void lossIsNanWithZeroGradientWhenAllPositionsAreIgnored() {
    Tensor logits = Samples.counting(DType.FLOAT64, 2, 3);
    Tensor targets = Samples.longs(-100, -100);
    for (Map<String, Object> more :
        List.<Map<String, Object>>of(Map.of(), Map.of("label_smoothing", 0.1))) {
      Attributes attributes = Attributes.of(more);
      assertThat(forward("cross_entropy", attributes, logits, targets).item()).isNaN();
      List<Tensor> gradients =
          gradients("cross_entropy", attributes, Tensor.scalar(1), logits, targets);
      assertThat(gradients.get(0).toDoubles()).containsOnly(0);
    }
  }

  @Test
  void ignoredPositionMayHoldAnyValue() {
    Tensor logs = Tensor.of(new double[] {NAN, INFINITY, -1, -2}, 2, 2);

    assertThat(forward("nll_loss", logs, Samples.longs(-100, 1)).item()).isEqualTo(2);
  }

  @Test
  void scalarHasDimensionZero() {
    Tensor scalar = Tensor.scalar(3);

    assertThat(forward("sum", Attributes.of("dim", -1, "keepdim", true), scalar)).isEqualTo(scalar);
    assertThat(forward("transpose", Attributes.of("dim0", 0, "dim1", -1), scalar))
        .isEqualTo(scalar);
    assertThat(forward("log_softmax", Attributes.of("dim", 0), scalar)).isEqualTo(Tensor.scalar(0));
  }

  private Tensor forward(String name, Tensor... inputs) {
    return forward(name, Attributes.none(), inputs);
  }

  private Tensor forward(String name, Attributes attributes, Tensor... inputs) {
    return Catalogue.get(name).forward(backend, List.of(inputs), attributes).output();
  }

  private List<Tensor> gradients(
      String name, Attributes attributes, Tensor upstream, Tensor... inputs) {
    Operation operation = Catalogue.get(name);
    Saved saved = operation.forward(backend, List.of(inputs), attributes).saved();
    boolean[] needed = new boolean[inputs.length];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = inputs[i].dtype().isFloating();
    }
    return operation.backward(backend, saved, upstream, needed);
  }
}
