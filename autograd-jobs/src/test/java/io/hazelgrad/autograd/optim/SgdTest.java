package io.hazelgrad.autograd.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Ten steps of three parameters are those of torch 1.13. golden_optim.py made the cases. */
class SgdTest {
  @TestFactory
  Stream<DynamicTest> everyCaseAgreesWithTorch() throws IOException {
    try (InputStream in = Objects.requireNonNull(SgdTest.class.getResourceAsStream("sgd.json"))) {
      List<JsonNode> cases = new ArrayList<>();
      new ObjectMapper().readTree(in).get("cases").forEach(cases::add);
      assertThat(cases).hasSize(8);
      return cases.stream()
          .map(
              c ->
                  dynamicTest(
                      c.get("case").asText() + " " + c.get("dtype").asText(), () -> check(c)));
    }
  }

  private static void check(JsonNode golden) {
    JsonNode options = golden.get("options");
    Sgd sgd =
        new Sgd(
            options.get("lr").asDouble(),
            options.path("momentum").asDouble(0),
            options.path("dampening").asDouble(0),
            options.path("weight_decay").asDouble(0),
            options.path("nesterov").asBoolean(false));
    List<Tensor> parameters = new ArrayList<>();
    List<Optimizer.State> states = new ArrayList<>();
    for (JsonNode parameter : golden.get("params")) {
      parameters.add(tensor(parameter));
      states.add(sgd.newState());
    }
    double tolerance = golden.get("dtype").asText().equals("float64") ? 1e-12 : 1e-5;
    for (JsonNode step : golden.get("steps")) {
      for (int i = 0; i < parameters.size(); i++) {
        JsonNode gradient = step.get("grads").get(i);
        if (!gradient.isNull()) {
          parameters.set(i, states.get(i).step(parameters.get(i), tensor(gradient)));
        }
        Tensor expected = tensor(step.get("params").get(i));
        assertThat(parameters.get(i).dtype()).isEqualTo(expected.dtype());
        assertThat(parameters.get(i).toDoubles())
            .containsExactly(expected.toDoubles(), within(tolerance));
      }
    }
  }

  private static Tensor tensor(JsonNode node) {
    long[] shape = new long[node.get("shape").size()];
    for (int i = 0; i < shape.length; i++) {
      shape[i] = node.get("shape").get(i).asLong();
    }
    double[] data = new double[node.get("data").size()];
    for (int i = 0; i < data.length; i++) {
      data[i] = node.get("data").get(i).asDouble();
    }
    Tensor tensor = Tensor.wrap(data, shape);
    return node.get("dtype").asText().equals("float64") ? tensor : tensor.to(DType.FLOAT32);
  }

  @Test
  void wrongNumbersAreRefused() {
    for (double wrong : new double[] {-1, Double.NaN}) {
      assertThatThrownBy(() -> Sgd.of(wrong))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("learningRate=" + wrong);
      assertThatThrownBy(() -> Sgd.of(1).withMomentum(wrong)).isInstanceOf(GridException.class);
      assertThatThrownBy(() -> Sgd.of(1).withWeightDecay(wrong)).isInstanceOf(GridException.class);
    }
    assertThatThrownBy(() -> new Sgd(1, 0, 0, 0, true)).hasMessageContaining("nesterov");
    assertThatThrownBy(() -> new Sgd(1, 0.9, 0.5, 0, true)).hasMessageContaining("dampening=0.5");
  }
}
