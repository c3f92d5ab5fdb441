package io.hazelgrad.autograd.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtException;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.ops.Specimens;
import io.hazelgrad.autograd.internal.ops.Specimens.Specimen;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations of the catalogue give the same after their export, in ONNX Runtime and here. */
class OnnxCatalogueTest {
  private static final int CASES = Boolean.getBoolean("hazelgrad.tests.full") ? 100 : 6;

  static List<String> operations() {
    return List.copyOf(Catalogue.names());
  }

  @Test
  void formulasExistForAllOperations() {
    assertThat(Formulas.names()).isEqualTo(Catalogue.names());
  }

  @ParameterizedTest
  @MethodSource("operations")
  void operationKeepsItsResultWhenExported(String operation) throws OrtException {
    Specimens specimens = new Specimens(new Random(operation.hashCode()));
    for (int i = 0; i < CASES; i++) {
      Specimen specimen = deterministic(specimens.of(operation));
      if (specimen.inputs().stream().anyMatch(tensor -> tensor.size() == 0)) {
        continue; // ONNX Runtime refuses several operators without elements.
      }
      check(specimen);
    }
  }

  /** Returns a specimen of FLOAT32, and of dropout one that draws nothing. */
  private static Specimen deterministic(Specimen specimen) {
    Map<String, Object> attributes = new HashMap<>(specimen.attributes().asMap());
    if (specimen.operation().equals("dropout") && specimen.inputs().size() == 1) {
      attributes.put("p", 0.0);
    }
    if (specimen.operation().equals("cast")) {
      attributes.put("dtype", "FLOAT32");
    }
    List<Tensor> inputs =
        specimen.inputs().stream()
            .map(tensor -> tensor.dtype() == DType.FLOAT64 ? tensor.to(DType.FLOAT32) : tensor)
            .toList();
    return new Specimen(specimen.operation(), Attributes.of(attributes), inputs);
  }

  private static void check(Specimen specimen) throws OrtException {
    Map<String, Tensor> examples = new LinkedHashMap<>();
    for (int i = 0; i < specimen.inputs().size(); i++) {
      examples.put("x" + i, specimen.inputs().get(i));
    }
    Function<Map<String, Variable>, Map<String, Variable>> function =
        x ->
            Map.of(
                "y",
                Variable.apply(
                    specimen.operation(),
                    specimen.attributes(),
                    x.values().toArray(Variable[]::new)));
    Map<String, Variable> variables = new LinkedHashMap<>();
    examples.forEach((name, tensor) -> variables.put(name, Variable.of(tensor)));
    Tensor expected = function.apply(variables).get("y").value();
    OnnxModel model = OnnxExport.of(examples, function).withFixedShapes().toModel();
    requireClose(specimen + " here", model.run(examples).get("y"), expected);
    requireClose(
        specimen + " in ONNX Runtime", OnnxRuntime.run(model.bytes(), examples).get("y"), expected);
  }

  static void requireClose(String what, Tensor actual, Tensor expected) {
    assertThat(actual.dtype()).as(what).isEqualTo(expected.dtype());
    assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
    double[] a = actual.toDoubles();
    double[] e = expected.toDoubles();
    double largest = Arrays.stream(e).filter(Double::isFinite).map(Math::abs).max().orElse(0);
    for (int i = 0; i < e.length; i++) {
      boolean close =
          Double.compare(a[i], e[i]) == 0 || Math.abs(a[i] - e[i]) <= 1e-4 * largest + 1e-7;
      assertThat(close).as("%s: element %s is %s, not %s", what, i, a[i], e[i]).isTrue();
    }
  }
}
