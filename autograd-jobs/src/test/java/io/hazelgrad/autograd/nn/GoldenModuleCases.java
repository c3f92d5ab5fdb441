package io.hazelgrad.autograd.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.ConvOptions.PaddingMode;
import io.hazelgrad.autograd.nn.TransformerOptions.Activation;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Modules have torch's names, outputs, gradients and running statistics; modules.py, padding.py and
 * transformer.py made the cases, and the first one describes them.
 */
public abstract class GoldenModuleCases {
  private static final Init INIT = Init.seeded(1).with(DType.FLOAT64);

  private final Device device;

  /** Tests modules on a device. */
  protected GoldenModuleCases(Device device) {
    this.device = device;
  }

  /** A module and how a case uses it. */
  private record Subject(Module<?, ?> module, Run run) {
    static Subject of(Module<Variable, Variable> module) {
      return new Subject(module, in -> List.of(module.forward(in.get(0))));
    }

    static Subject of(Module<?, ?> module, Run run) {
      return new Subject(module, run);
    }
  }

  private interface Run {
    List<Variable> outputs(List<Variable> inputs);
  }

  private static Subject subject(String name) {
    ConvOptions conv = ConvOptions.defaults();
    BatchNormOptions batch = BatchNormOptions.defaults();
    RecurrentOptions recurrent = RecurrentOptions.defaults();
    return switch (name) {
      case "linear" -> Subject.of(new Linear(4, 3, INIT));
      case "linear without bias" -> Subject.of(new Linear(4, 3, false, INIT));
      case "conv1d" -> Subject.of(new Conv1d(2, 3, 3, INIT));
      case "conv1d with options" ->
          Subject.of(
              new Conv1d(
                  4,
                  6,
                  3,
                  conv.withStride(2).withPadding(2).withDilation(2).withGroups(2).withBias(false),
                  INIT));
      case "conv2d" -> Subject.of(new Conv2d(2, 3, 3, INIT));
      case "conv2d with options" ->
          Subject.of(
              new Conv2d(
                  4,
                  2,
                  3,
                  2,
                  conv.withStride(2, 1).withPadding(1, 2).withDilation(1, 2).withGroups(2),
                  INIT));
      case "conv1d zeros", "conv1d reflect", "conv1d replicate", "conv1d circular" ->
          Subject.of(
              new Conv1d(2, 3, 3, conv.withPadding(2).withPaddingMode(paddingMode(name)), INIT));
      case "conv2d zeros", "conv2d reflect", "conv2d replicate", "conv2d circular" ->
          Subject.of(
              new Conv2d(
                  2,
                  4,
                  3,
                  2,
                  conv.withStride(2, 1)
                      .withPadding(2, 1)
                      .withDilation(1, 2)
                      .withGroups(2)
                      .withPaddingMode(paddingMode(name)),
                  INIT));
      case "embedding" -> Subject.of(new Embedding(6, 3, INIT));
      case "embedding with padding" -> Subject.of(new Embedding(4, 3, 1, INIT));
      case "layer_norm" -> Subject.of(new LayerNorm(4, INIT));
      case "layer_norm over two" -> Subject.of(new LayerNorm(List.of(3, 4), 1e-3, true, INIT));
      case "batch_norm of [N, C]" -> Subject.of(new BatchNorm(3, INIT));
      case "batch_norm of [N, C, L]" -> Subject.of(new BatchNorm(3, batch.withMomentum(0.3), INIT));
      case "batch_norm of [N, C, H, W]" -> Subject.of(new BatchNorm(2, batch.withEps(1e-2), INIT));
      case "batch_norm with the mean" ->
          Subject.of(new BatchNorm(2, batch.withCumulativeMean(), INIT));
      case "batch_norm plain" -> Subject.of(new BatchNorm(2, batch.withAffine(false), INIT));
      case "batch_norm untracked" -> Subject.of(new BatchNorm(2, batch.withTracked(false), INIT));
      case "dropout" -> Subject.of(new Dropout(0.5, INIT));
      case "lstm" -> Subject.of(new Lstm(3, 2, INIT));
      case "lstm with states" -> {
        Lstm lstm =
            new Lstm(
                3, 2, recurrent.withLayers(2).withBidirectional(true).withBatchFirst(true), INIT);
        yield Subject.of(
            lstm,
            in -> {
              Lstm.Result result = lstm.run(in.get(0), in.get(1), in.get(2));
              return List.of(result.output(), result.hidden(), result.cell());
            });
      }
      case "lstm without biases" ->
          Subject.of(new Lstm(3, 2, recurrent.withLayers(3).withBias(false), INIT));
      case "gru" -> Subject.of(new Gru(3, 2, INIT));
      case "gru with states" -> {
        Gru gru = new Gru(3, 2, recurrent.withLayers(2).withBidirectional(true), INIT);
        yield Subject.of(
            gru,
            in -> {
              Gru.Result result = gru.run(in.get(0), in.get(1));
              return List.of(result.output(), result.hidden());
            });
      }
      case "attention" -> {
        var module = new MultiHeadAttention(4, 2, INIT);
        yield Subject.of(
            module,
            in ->
                List.of(
                    module.forward(
                        new MultiHeadAttention.Input(
                            in.get(0), in.get(1), in.get(2), null, false))));
      }
      case "attention looking back" -> {
        var module = new MultiHeadAttention(6, 3, INIT);
        yield Subject.of(
            module,
            in ->
                List.of(module.forward(MultiHeadAttention.Input.self(in.get(0)).withCausal(true))));
      }
      case "attention with a mask" -> {
        var module = new MultiHeadAttention(4, 1, INIT);
        yield Subject.of(
            module,
            in ->
                List.of(
                    module.forward(MultiHeadAttention.Input.self(in.get(0)).withMask(in.get(1)))));
      }
      case "sequential" ->
          Subject.of(
              new Sequential(
                  new Conv2d(1, 2, 3, conv.withPadding(1), INIT),
                  new BatchNorm(2, INIT),
                  Module.of(Variable::relu),
                  Module.of(x -> Variable.apply("max_pool2d", Attributes.of("kernel", 2), x)),
                  Module.of(x -> x.reshape(x.value().shape(0), -1)),
                  new Linear(8, 3, INIT)));
      default -> {
        if (!name.startsWith("norm ")) {
          throw new IllegalArgumentException("no module for the case " + name);
        }
        yield Subject.of(new TransformerEncoderLayer(4, 2, transformer(name), INIT));
      }
    };
  }

  private static TransformerOptions transformer(String name) {
    return TransformerOptions.defaults()
        .withFeedforward(3)
        .withDropout(0)
        .withActivation(name.contains("gelu") ? Activation.GELU : Activation.RELU)
        .withEps(1e-3)
        .withBatchFirst(name.contains("batch first"))
        .withNormFirst(name.contains("norm first"))
        .withCausal(name.contains("causal"));
  }

  private static PaddingMode paddingMode(String name) {
    return PaddingMode.valueOf(name.substring(name.indexOf(' ') + 1).toUpperCase(Locale.ROOT));
  }

  @TestFactory
  protected final Stream<DynamicTest> modulesAgreeWithTorch() throws IOException {
    return tests("modules.json", 26);
  }

  @TestFactory
  protected final Stream<DynamicTest> paddingsOfConvolutionsAgreeWithTorch() throws IOException {
    return tests("padding.json", 8);
  }

  @TestFactory
  protected final Stream<DynamicTest> layersOfTransformersAgreeWithTorch() throws IOException {
    return tests("transformer.json.gz", 8);
  }

  private Stream<DynamicTest> tests(String file, int count) throws IOException {
    InputStream stored = Objects.requireNonNull(GoldenModuleCases.class.getResourceAsStream(file));
    try (InputStream in = file.endsWith(".gz") ? new GZIPInputStream(stored) : stored) {
      List<JsonNode> cases = new ArrayList<>();
      new ObjectMapper().readTree(in).get("cases").forEach(cases::add);
      assertThat(cases).hasSize(count);
      return cases.stream().map(each -> dynamicTest(each.get("name").asText(), () -> check(each)));
    }
  }

  private void check(JsonNode golden) {
    Subject subject = subject(golden.get("name").asText());
    Module<?, ?> module = subject.module;
    Map<String, Tensor> state = tensors(golden.get("state"));
    assertThat(module.state().keySet()).containsExactlyElementsOf(state.keySet());
    module.to(device);
    module.load(state);
    for (JsonNode step : golden.get("steps")) {
      check(subject, step);
    }
    assertClose("after", module.state(), tensors(golden.get("after")));
  }

  private void check(Subject subject, JsonNode step) {
    Module<?, ?> module = subject.module;
    if (step.get("train").asBoolean()) {
      module.train();
    } else {
      module.eval();
    }
    Map<String, Variable> inputs = new LinkedHashMap<>();
    tensors(step.get("inputs")).forEach((name, x) -> inputs.put(name, variable(x.to(device))));
    List<Variable> outputs = subject.run.outputs(List.copyOf(inputs.values()));
    assertThat(outputs).hasSize(step.get("outputs").size());
    Variable loss = null;
    for (int i = 0; i < outputs.size(); i++) {
      assertClose("output " + i, outputs.get(i).value(), tensor(step.get("outputs").get(i)));
      Variable sum =
          outputs.get(i).mul(Variable.of(tensor(step.get("weights").get(i)).to(device))).sum();
      loss = loss == null ? sum : loss.add(sum);
    }
    module.zeroGrad();
    Objects.requireNonNull(loss).backward();
    assertClose("input", grads(inputs), tensors(step.get("input_grads")));
    assertClose("parameter", grads(module.namedParameters()), tensors(step.get("grads")));
  }

  private static Variable variable(Tensor x) {
    return x.dtype().isFloating() ? Variable.parameter(x) : Variable.of(x);
  }

  private static Map<String, Tensor> grads(Map<String, Variable> leaves) {
    Map<String, Tensor> grads = new LinkedHashMap<>();
    leaves.forEach(
        (name, leaf) -> {
          if (leaf.grad() != null) {
            grads.put(name, leaf.grad());
          }
        });
    return grads;
  }

  private void assertClose(String what, Map<String, Tensor> got, Map<String, Tensor> wanted) {
    assertThat(got.keySet()).as(what).containsExactlyElementsOf(wanted.keySet());
    wanted.forEach((name, want) -> assertClose(what + " " + name, got.get(name), want));
  }

  private void assertClose(String what, @Nullable Tensor got, Tensor want) {
    assertThat(got).as(what).isNotNull();
    assertThat(got.device()).as(what).isEqualTo(device);
    assertThat(got.dtype()).as(what).isEqualTo(want.dtype());
    assertThat(got.shape()).as(what).isEqualTo(want.shape());
    assertThat(got.toDoubles()).as(what).containsExactly(want.toDoubles(), within(1e-9));
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
    Arrays.setAll(data, i -> node.get("data").get(i).asDouble());
    return Tensor.wrap(data, shape).to(DType.valueOf(node.get("dtype").asText()));
  }
}
