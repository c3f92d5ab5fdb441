package io.hazelgrad.autograd.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the fused layers of FLOAT32 with the formulas, which FLOAT64 uses. */
class FloatLayersTest {
  private final Init init = Init.seeded(5);

  /** Runs an operation on FLOAT32 and on FLOAT64; compares output and all gradients. */
  private static void compare(String operation, Attributes attributes, Tensor... inputs) {
    List<double[]> found = results(operation, attributes, DType.FLOAT32, inputs);
    List<double[]> expected = results(operation, attributes, DType.FLOAT64, inputs);
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i))
          .as("%s: output, then gradients: %s", operation, i)
          .containsExactly(expected.get(i), within(2e-5));
    }
  }

  private static List<double[]> results(
      String operation, Attributes attributes, DType type, Tensor... inputs) {
    Variable[] variables = new Variable[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      variables[i] = Variable.parameter(inputs[i].to(type));
    }
    Variable output = Variable.apply(operation, attributes, variables);
    Variable factor = Variable.of(Init.seeded(6).normal(0, 1, output.value().shape()).to(type));
    output.mul(factor).sum().backward();
    List<double[]> results = new ArrayList<>(List.of(output.value().toDoubles()));
    for (Variable variable : variables) {
      results.add(variable.grad().toDoubles());
    }
    return results;
  }

  @Test
  void geluMatchesItsFormula() {
    compare("gelu", Attributes.of(Map.of()), init.normal(0, 3, 7, 301));
  }

  @ParameterizedTest
  @CsvSource({"1,1", "3,64", "5,77", "2,5000"})
  void softmaxOfTheLastDimensionMatchesItsFormula(long rows, long columns) {
    compare("softmax", Attributes.of("dim", -1), init.normal(0, 5, rows, columns));
  }

  @Test
  void softmaxIsNaNWhereARowHasOnlyNegativeInfinity() {
    Tensor x = Tensor.full(DType.FLOAT32, Double.NEGATIVE_INFINITY, 1, 3);
    Variable output = Variable.apply("softmax", Attributes.of("dim", -1), Variable.of(x));
    assertThat(output.value().toDoubles()).containsOnly(Double.NaN);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "9,128", "6,33"})
  void layerNormMatchesItsFormula(long rows, long columns) {
    compare(
        "layer_norm",
        Attributes.of("normalized_shape", new long[] {columns}),
        init.normal(1, 2, rows, columns),
        init.normal(1, 1, columns),
        init.normal(0, 1, columns));
  }

  @ParameterizedTest
  @CsvSource({"true,8,8", "false,8,8", "true,9,4", "true,3,7", "false,5,11"})
  void attentionMatchesItsFormula(boolean causal, long queries, long keys) {
    compare(
        "scaled_dot_product_attention",
        Attributes.of("causal", causal),
        init.normal(0, 1, 2, 3, queries, 16),
        init.normal(0, 1, 2, 3, keys, 16),
        init.normal(0, 1, 2, 3, keys, 16));
  }

  /** The first is too small for OpenBLAS, which takes the bias into the product of the others. */
  @ParameterizedTest
  @CsvSource({"3,4,5", "64,40,30", "1,300,200", "37,300,1"})
  void linearMatchesItsFormula(long rows, long in, long out) {
    compare(
        "linear",
        Attributes.of(Map.of()),
        init.normal(0, 1, rows, in),
        init.normal(0, 0.1, out, in),
        init.normal(0, 1, out));
  }

  /** OpenBLAS reads and writes the heads of the larger ones where they lie. */
  @ParameterizedTest
  @CsvSource({"true,8,8,2", "true,40,40,4", "false,50,30,2", "false,40,1,4", "true,64,64,1"})
  void attentionInHeadsMatchesItsFormula(boolean causal, long queries, long keys, long heads) {
    long width = 64;
    compare(
        "multi_head_attention",
        Attributes.of(Map.of("heads", heads, "causal", causal)),
        init.normal(0, 0.3, 3, queries, width),
        init.normal(0, 0.3, 3, keys, width),
        init.normal(0, 0.3, 3, keys, width),
        init.normal(0, 0.1, 3 * width, width),
        init.normal(0, 0.1, 3 * width),
        init.normal(0, 0.1, width, width),
        init.normal(0, 0.1, width));
  }

  @Test
  void productsOfLayersThatDoNotFitAreRefused() {
    CpuBackend backend = new CpuBackend();
    Tensor x = init.normal(0, 1, 2, 3, 4);
    assertThatThrownBy(() -> backend.headScores(x, x, 3))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
        .hasMessageContaining("heads=3");
    assertThatThrownBy(() -> backend.headValues(init.normal(0, 1, 2, 2, 3, 4), false, x))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("a.shape=[2, 2, 3, 4] b.shape=[2, 3, 4]");
    Tensor matrix = init.normal(0, 1, 3, 4);
    assertThatThrownBy(() -> backend.linear(matrix, matrix, init.normal(0, 1, 4)))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("[4]");
  }

  @Test
  void sumsOfColumnsMatchThoseOfDoublePrecision() {
    Tensor x = init.normal(3, 1, 1000, 37);
    Tensor sums = new CpuBackend().reduce(Reduction.SUM, x, 0);
    Tensor expected = new CpuBackend().reduce(Reduction.SUM, x.to(DType.FLOAT64), 0);
    assertThat(sums.shape()).containsExactly(1, 37);
    assertThat(sums.toDoubles()).containsExactly(expected.toDoubles(), within(2e-3));
  }
}
