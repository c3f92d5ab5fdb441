package io.hazelgrad.autograd.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Outputs and gradients are those of torch 1.13. golden_autograd.py made and describes the cases.
 */
public abstract class GoldenCases {
  /** Attributes that describe a case rather than the operation. */
  private static final Set<String> OF_THE_CASE =
      Set.of("constant", "second_input", "transpose_first", "formula");

  private final Backend backend;
  private final Device device;

  /** Tests the backend of a device. */
  protected GoldenCases(Backend backend, Device device) {
    this.backend = backend;
    this.device = device;
  }

  @TestFactory
  protected final Stream<DynamicTest> casesAgreeWithTorch() throws IOException {
    return cases("golden.json.gz", 490);
  }

  /** Special values, other shapes, attributes that the first file lacks, layers. */
  @TestFactory
  protected final Stream<DynamicTest> otherCasesAgreeWithTorch() throws IOException {
    return cases("more.json.gz", 1_016);
  }

  private Stream<DynamicTest> cases(String file, int count) throws IOException {
    try (InputStream in =
        new GZIPInputStream(Objects.requireNonNull(GoldenCases.class.getResourceAsStream(file)))) {
      List<JsonNode> cases = new ArrayList<>();
      new ObjectMapper().readTree(in).get("cases").forEach(cases::add);
      assertThat(cases).hasSize(count);
      return cases.stream()
          .map(
              c ->
                  dynamicTest(
                      text(c, "op") + " " + text(c, "case") + " " + text(c, "dtype"),
                      () -> check(c)));
    }
  }

  private void check(JsonNode golden) {
    Operation operation = Catalogue.get(text(golden, "op"));
    Map<String, Tensor> named = tensors(golden.get("inputs"));
    Attributes attributes = attributes(golden.get("attrs"));
    List<String> order = new ArrayList<>(named.keySet());
    if (golden.get("attrs").has("second_input")) {
      order.add(golden.get("attrs").get("second_input").asText());
    }
    List<Tensor> inputs =
        order.stream()
            .map(named::get)
            .map(it -> it.to(device))
            .collect(Collectors.toCollection(ArrayList::new));
    Attributes swap = Attributes.of("dim0", 0, "dim1", 1);
    boolean transposed = golden.get("attrs").has("transpose_first");
    if (transposed) {
      inputs.set(0, Catalogue.get("transpose").forward(backend, inputs, swap).output());
    }
    Map<String, Tensor> wanted = tensors(golden.get("grads"));
    boolean[] needed = new boolean[order.size()];
    for (int i = 0; i < needed.length; i++) {
      needed[i] = wanted.containsKey(order.get(i));
    }

    TensorType predicted =
        operation.check(inputs.stream().map(TensorType::of).toList(), attributes);
    Forward forward = operation.forward(backend, inputs, attributes);
    List<Tensor> gradients =
        operation.backward(
            backend, forward.saved(), tensor(golden.get("grad_output")).to(device), needed);

    assertThat(forward.output().device()).isEqualTo(device);
    assertThat(predicted).isEqualTo(TensorType.of(forward.output()));
    assertClose("output", forward.output(), tensor(golden.get("output")));
    if (golden.has("aux")) {
      tensors(golden.get("aux"))
          .forEach((name, want) -> assertClose(name, forward.more().get(name), want));
    }
    Map<String, Tensor> sums = new HashMap<>();
    for (int i = 0; i < needed.length; i++) {
      if (needed[i]) {
        sums.merge(
            order.get(i), gradients.get(i), (a, b) -> backend.binary(Backend.Binary.ADD, a, b));
      } else {
        assertThat(gradients.get(i)).isNull();
      }
    }
    if (transposed) {
      sums.replaceAll(
          (name, g) -> Catalogue.get("transpose").forward(backend, List.of(g), swap).output());
    }
    wanted.forEach((name, want) -> assertClose(name, sums.get(name), want));
  }

  static void assertClose(String name, Tensor got, Tensor want) {
    assertThat(TensorType.of(got)).as(name).isEqualTo(TensorType.of(want));
    double tolerance = want.dtype() == DType.FLOAT64 ? 1e-9 : 2e-4;
    double[] expected = want.toDoubles();
    double[] actual = got.toDoubles();
    for (int i = 0; i < expected.length; i++) {
      if (Double.isFinite(expected[i])) {
        assertThat(actual[i])
            .as(name + "[" + i + "]")
            .isCloseTo(expected[i], within(tolerance * Math.max(1, Math.abs(expected[i]))));
      } else {
        assertThat((Double) actual[i]).as(name + "[" + i + "]").isEqualTo((Double) expected[i]);
      }
    }
  }

  private static Attributes attributes(JsonNode node) {
    Map<String, Object> values = new HashMap<>();
    node.properties()
        .forEach(
            entry -> {
              if (!OF_THE_CASE.contains(entry.getKey()) && !entry.getValue().isNull()) {
                values.put(entry.getKey(), value(entry.getValue()));
              }
            });
    return Attributes.of(values);
  }

  private static Object value(JsonNode node) {
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(element -> list.add(value(element)));
      return list;
    }
    return node.isBoolean()
        ? node.asBoolean()
        : node.isIntegralNumber()
            ? node.asLong()
            : node.isNumber() || node.asText().endsWith("Infinity")
                ? Double.parseDouble(node.asText())
                : node.asText();
  }

  private static Map<String, Tensor> tensors(JsonNode node) {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    node.properties().forEach(entry -> tensors.put(entry.getKey(), tensor(entry.getValue())));
    return tensors;
  }

  private static Tensor tensor(JsonNode node) {
    long[] shape = new long[node.get("shape").size()];
    Arrays.setAll(shape, i -> node.get("shape").get(i).asLong());
    double[] data = new double[node.get("data").size()];
    // Non-finite numbers are the strings NaN, Infinity and -Infinity.
    Arrays.setAll(data, i -> number(node.get("data").get(i)));
    return Tensor.wrap(data, shape).to(DType.valueOf(text(node, "dtype").toUpperCase(Locale.ROOT)));
  }

  private static double number(JsonNode node) {
    return node.isBoolean() ? (node.asBoolean() ? 1 : 0) : Double.parseDouble(node.asText());
  }

  private static String text(JsonNode node, String field) {
    return node.get(field).asText();
  }
}
