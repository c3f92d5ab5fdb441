package io.hazelgrad.autograd.onnx;

import static io.hazelgrad.autograd.onnx.OnnxCatalogueTest.requireClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.BatchNorm;
import io.hazelgrad.autograd.nn.BatchNormOptions;
import io.hazelgrad.autograd.nn.Conv1d;
import io.hazelgrad.autograd.nn.Conv2d;
import io.hazelgrad.autograd.nn.ConvOptions;
import io.hazelgrad.autograd.nn.ConvOptions.PaddingMode;
import io.hazelgrad.autograd.nn.Dropout;
import io.hazelgrad.autograd.nn.Embedding;
import io.hazelgrad.autograd.nn.Gru;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.LayerNorm;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Lstm;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.MultiHeadAttention;
import io.hazelgrad.autograd.nn.RecurrentOptions;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.nn.TransformerEncoderLayer;
import io.hazelgrad.autograd.nn.TransformerOptions;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Modules compute the same after their export, for any batch and under torch's names. */
class OnnxModulesTest {
  private static final TransformerOptions SMALL =
      TransformerOptions.defaults().withFeedforward(12).withBatchFirst(true);

  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  private record Case(Module<Variable, Variable> module, int batchDim, long... shape) {
    @Override
    public String toString() {
      return module.getClass().getSimpleName() + LongStream.of(shape).boxed().toList();
    }
  }

  private static Init init() {
    return Init.seeded(3);
  }

  private static ConvOptions padded(PaddingMode mode) {
    return ConvOptions.defaults().withPadding(1).withPaddingMode(mode);
  }

  private static RecurrentOptions recurrent() {
    return RecurrentOptions.defaults().withLayers(2).withBidirectional(true);
  }

  @TestFactory
  Stream<DynamicTest> moduleComputesTheSameWhenExported() {
    Module<Variable, Variable> pool =
        Module.of(x -> Variable.apply("max_pool2d", Attributes.of("kernel", 2), x));
    return Stream.of(
            new Case(new Linear(5, 3, init()), 0, 2, 5),
            new Case(new Linear(5, 3, false, init()), 0, 2, 4, 5),
            new Case(new Conv1d(4, 6, 3, init()), 0, 2, 4, 8),
            new Case(new Conv1d(4, 6, 3, padded(PaddingMode.CIRCULAR), init()), 0, 2, 4, 8),
            new Case(new Conv2d(2, 4, 3, init()), 0, 2, 2, 6, 7),
            new Case(new Conv2d(2, 4, 3, padded(PaddingMode.REFLECT), init()), 0, 2, 2, 6, 7),
            new Case(new Conv2d(2, 4, 3, padded(PaddingMode.REPLICATE), init()), 0, 2, 2, 6, 7),
            new Case(
                new Conv2d(
                    2, 4, 3, 2, ConvOptions.defaults().withStride(2, 1).withGroups(2), init()),
                0,
                2,
                2,
                6,
                7),
            new Case(trained(new BatchNorm(3, init())), 0, 2, 3, 4),
            new Case(
                new BatchNorm(3, BatchNormOptions.defaults().withTracked(false), init()),
                0,
                2,
                3,
                4,
                4),
            new Case(new LayerNorm(5, init()), 0, 2, 3, 5),
            new Case(new Lstm(3, 4, init()), 1, 5, 2, 3),
            new Case(new Lstm(3, 4, init()), 0, 5, 2, 3),
            new Case(new Lstm(3, 4, recurrent().withBatchFirst(true), init()), 0, 2, 5, 3),
            new Case(new Gru(3, 4, recurrent(), init()), 1, 5, 2, 3),
            new Case(new Gru(3, 4, init()), 1, 5, 2, 3),
            new Case(new TransformerEncoderLayer(8, 2, SMALL, init()), 0, 2, 5, 8),
            new Case(
                new TransformerEncoderLayer(
                    8, 2, SMALL.withNormFirst(true).withCausal(true).withBatchFirst(false), init()),
                1,
                5,
                2,
                8),
            new Case(
                new Sequential(
                    new Conv2d(1, 2, 3, init()),
                    Module.of(Variable::relu),
                    pool,
                    Module.of(x -> x.reshape(x.value().shape(0), -1)),
                    new Dropout(0.5, init()),
                    new Linear(8, 3, init()),
                    Module.of(x -> x.logSoftmax(-1))),
                0,
                2,
                1,
                6,
                6))
        .map(each -> DynamicTest.dynamicTest(each.toString(), () -> check(each)));
  }

  /** Gives the running statistics of a module values of a batch. */
  private static Module<Variable, Variable> trained(Module<Variable, Variable> module) {
    Variable unused = module.forward(Variable.of(init().uniform(-1, 2, 4, 3, 2)));
    return module;
  }

  private static void check(Case each) throws Exception {
    Module<Variable, Variable> module = each.module;
    module.eval();
    OnnxModel model =
        OnnxExport.of(module, init().uniform(-1, 1, each.shape))
            .withBatchDim("input", each.batchDim)
            .toModel();
    Map<String, Tensor> state = new HashMap<>(module.state());
    state.keySet().removeIf(name -> name.endsWith("num_batches_tracked"));
    assertThat(model.parameters().keySet()).containsExactlyInAnyOrderElementsOf(state.keySet());
    model.parameters().forEach((name, v) -> assertThat(v.value()).isEqualTo(state.get(name)));
    for (int more = -1; more < 3; more++) {
      long[] shape = each.shape.clone();
      shape[each.batchDim] += more;
      Tensor x = init().uniform(-2, 2, shape);
      Tensor expected = NoGrad.within(() -> module.forward(Variable.of(x))).value();
      Map<String, Tensor> given = Map.of("input", x);
      requireClose(each + " here", one(model.run(given)), expected);
      requireClose(each + " there", one(OnnxRuntime.run(model.bytes(), given)), expected);
    }
  }

  private static Tensor one(Map<String, Tensor> outputs) {
    return Objects.requireNonNull(outputs.get("output"));
  }

  @Test
  void embeddingComputesTheSameWhenExported() throws Exception {
    Embedding module = new Embedding(7, 3, init());
    OnnxModel model = OnnxExport.of(module, Tensor.of(new long[] {1, 6}, 1, 2)).toModel();
    Tensor x = Tensor.of(new long[] {0, 2, 4, 6, 5, 1}, 3, 2);
    Tensor expected = module.forward(Variable.of(x)).value();
    requireClose("here", one(model.run(Map.of("input", x))), expected);
    requireClose("there", one(OnnxRuntime.run(model.bytes(), Map.of("input", x))), expected);
    assertThat(model.parameters()).containsOnlyKeys("weight");
  }

  @Test
  void attentionWithTwoInputsComputesTheSameWhenExported() throws Exception {
    MultiHeadAttention attention = new MultiHeadAttention(8, 2, init());
    Tensor query = init().uniform(-1, 1, 2, 3, 8);
    Tensor memory = init().uniform(-1, 1, 2, 5, 8);
    OnnxModel model =
        OnnxExport.of(
                Map.of("query", query, "memory", memory),
                x -> {
                  Variable m = x.get("memory");
                  MultiHeadAttention.Input input =
                      new MultiHeadAttention.Input(x.get("query"), m, m, null, false);
                  return Map.of("output", attention.forward(input));
                })
            .withParameters(attention.state())
            .toModel();
    Map<String, Tensor> given =
        Map.of("query", init().uniform(-1, 1, 4, 3, 8), "memory", init().uniform(-1, 1, 4, 5, 8));
    assertThat(model.parameters()).containsOnlyKeys(attention.state().keySet());
    requireClose("there", one(OnnxRuntime.run(model.bytes(), given)), one(model.run(given)));
  }

  @Test
  void lastStateOfAnLstmIsExportedWithAFixedNumberOfSteps() throws Exception {
    Lstm lstm = new Lstm(3, 4, init());
    Tensor x = init().uniform(-1, 1, 5, 2, 3);
    Tensor state = Tensor.zeros(DType.FLOAT32, 1, 2, 4);
    OnnxExport export =
        OnnxExport.of(
            Map.of("x", x),
            in -> {
              Variable zero =
                  Variable.of(Tensor.zeros(DType.FLOAT32, 1, in.get("x").value().shape(1), 4));
              return Map.of("c", lstm.run(in.get("x"), zero, zero).cell());
            });
    OnnxModel model = export.withBatchDim("x", 1).toModel();
    Tensor expected =
        lstm.run(Variable.of(x), Variable.of(state), Variable.of(state)).cell().value();
    requireClose("c", OnnxRuntime.run(model.bytes(), Map.of("x", x)).get("c"), expected);
    assertThatThrownBy(export::toModel)
        .hasMessageContaining("needs a fixed number of steps; use withBatchDim(..)");
  }

  @Test
  void gradientsOfAModelAreThoseOfItsModule() {
    Sequential module =
        new Sequential(
            new Linear(4, 6, init()), Module.of(Variable::tanh), new LayerNorm(6, init()));
    OnnxModel model = OnnxExport.of(module, init().uniform(-1, 1, 2, 4)).toModel();
    Tensor input = init().uniform(-1, 1, 3, 4);
    Variable ours = Variable.parameter(input);
    Variable theirs = Variable.parameter(input);
    Variable weights = Variable.of(init().uniform(-1, 1, 3, 6));
    module.forward(ours).mul(weights).sum().backward();
    model.forward(theirs).get(0).mul(weights).sum().backward();
    requireClose(
        "input", Objects.requireNonNull(theirs.grad()), Objects.requireNonNull(ours.grad()));
    Map<String, Variable> named = module.namedParameters();
    model
        .parameters()
        .forEach(
            (name, parameter) ->
                requireClose(
                    name,
                    Objects.requireNonNull(parameter.grad()),
                    Objects.requireNonNull(Objects.requireNonNull(named.get(name)).grad())));
  }

  @Test
  void exportFailsWhenAModuleIsInTraining() {
    Module<Variable, Variable> module = new Sequential(new Dropout(0.5, init()));
    assertThatThrownBy(() -> OnnxExport.of(module, init().uniform(0, 1, 2, 2)).toModel())
        .hasMessageContaining("dropout")
        .hasMessageContaining("eval()");
  }

  @Test
  void exportFailsWhenATensorDependsOnTheBatch() {
    Tensor example = init().uniform(0, 1, 2, 3);
    Module<Variable, Variable> counted =
        Module.of(x -> x.mul(Variable.of(Tensor.scalar(1.0 / x.value().shape(0)))));
    assertThatThrownBy(() -> OnnxExport.of(counted, example).toModel())
        .hasMessageContaining("depends on the batch")
        .hasMessageContaining("withFixedShapes()");
    OnnxModel fixed = OnnxExport.of(counted, example).withFixedShapes().toModel();
    assertThat(fixed.inputs().get(0).shape()).isEqualTo(List.of(2L, 3L));
    assertThatThrownBy(() -> fixed.run(Map.of("input", init().uniform(0, 1, 3, 3))))
        .hasMessageContaining("takes input FLOAT32 [2, 3] (-1 is any)");
  }

  @Test
  void exportFailsWhenTheOperationsDependOnTheBatch() {
    Module<Variable, Variable> uneven =
        Module.of(x -> x.value().shape(0) > 2 ? x.relu() : x.tanh());
    assertThatThrownBy(() -> OnnxExport.of(uneven, init().uniform(0, 1, 2, 3)).toModel())
        .hasMessageContaining("they differ for 2 and 3 rows");
  }
}
