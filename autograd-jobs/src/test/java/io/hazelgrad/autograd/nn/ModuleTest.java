package io.hazelgrad.autograd.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Modules in one process: names, states, modes, how they begin, and what is refused. */
class ModuleTest {
  /** A model of a user's own. */
  private static final class Model extends Module<Variable, Variable> {
    private final Variable scale;
    private final Buffer seen;
    private final Sequential body;
    private final Module<Variable, Variable> tail;

    Model(long seed) {
      Init init = Init.seeded(seed);
      body =
          child(
              "body",
              new Sequential(
                  new Linear(3, 4, init), new BatchNorm(4, init), Module.of(Variable::tanh)));
      scale = parameter("scale", init.full(2));
      seen = buffer("seen", Tensor.wrap(new long[] {0}));
      tail = child("tail", new Linear(4, 2, init));
    }

    @Override
    public Variable forward(Variable x) {
      seen.set(Tensor.wrap(new long[] {seen.value().toLongs()[0] + x.value().shape(0)}));
      return tail.forward(body.forward(x).mul(scale));
    }
  }

  private static final Variable X = Variable.of(Init.seeded(99).normal(0, 1, 6, 3));

  @Test
  void partsHaveNamesAndOrderOfTorch() {
    Model model = new Model(1);
    assertThat(model.state().keySet())
        .containsExactly(
            "scale",
            "seen",
            "body.0.weight",
            "body.0.bias",
            "body.1.weight",
            "body.1.bias",
            "body.1.running_mean",
            "body.1.running_var",
            "body.1.num_batches_tracked",
            "tail.weight",
            "tail.bias");
    assertThat(model.namedParameters().keySet())
        .containsExactly(
            "scale",
            "body.0.weight",
            "body.0.bias",
            "body.1.weight",
            "body.1.bias",
            "tail.weight",
            "tail.bias");
    assertThat(model.parameters()).hasSize(7).first().isSameAs(model.scale);
    assertThat(model.children().keySet()).containsExactly("body", "tail");
    assertThat(model)
        .hasToString(
            "Model(scale=%s, seen=%s, body=%s, tail=%s)",
            model.scale.value(), model.seen.value(), model.body, model.tail);
    assertThat(model.buffers().keySet())
        .containsExactly(
            "seen", "body.1.running_mean", "body.1.running_var", "body.1.num_batches_tracked");
  }

  @Test
  void stateMakesModulesEqual() {
    Model model = new Model(1);
    Variable unused = model.forward(X);
    Model other = new Model(2);
    assertThat(other.state()).isNotEqualTo(model.state());
    other.load(model.state());
    assertThat(other.state()).isEqualTo(model.state());
    model.eval();
    other.eval();
    assertThat(other.forward(X).value()).isEqualTo(model.forward(X).value());
  }

  @Test
  void stateChangesNothingAndIsNamedWhenItDoesNotFit() {
    Model model = new Model(1);
    Map<String, Tensor> before = model.state();
    Map<String, Tensor> wrong = new LinkedHashMap<>(new Model(2).state());
    wrong.remove("tail.bias");
    wrong.put("tail.gain", Tensor.scalar(1));
    wrong.put("scale", Tensor.scalar(1)); // FLOAT64 in place of FLOAT32.
    wrong.put("tail.weight", Tensor.zeros(DType.FLOAT32, 2, 5));
    refused(
        () -> model.load(wrong),
        "no tail.bias",
        "tail.gain is unknown",
        "scale is",
        "tail.weight is");
    assertThat(model.state()).isEqualTo(before);

    refused(() -> model.loadSome(Map.of("nothing", Tensor.scalar(1))), "nothing is unknown");
    model.loadSome(Map.of("tail.bias", Tensor.full(DType.FLOAT32, 3, 2)));
    assertThat(model.state().get("tail.bias").toDoubles()).containsExactly(3, 3);
    assertThat(model.state().get("tail.weight")).isEqualTo(before.get("tail.weight"));
  }

  @Test
  void checkpointFileCarriesState(@TempDir Path folder) throws IOException {
    Model model = new Model(1);
    LocalOptimizer optimizer = LocalOptimizer.of(Adam.defaults(), model.parameters());
    for (int i = 0; i < 3; i++) {
      train(model, optimizer);
    }
    List<Tensor> values = model.parameters().stream().map(Variable::value).toList();
    Path file = folder.resolve("model.safetensors");
    new Checkpoint(values, optimizer.state(), model.state()).write(file);
    train(model, optimizer);

    Model resumed = new Model(2);
    Checkpoint checkpoint = Checkpoint.read(file);
    resumed.load(checkpoint.extras());
    LocalOptimizer again = LocalOptimizer.of(Adam.defaults(), resumed.parameters());
    again.restore(checkpoint.optimizer());
    train(resumed, again);
    assertThat(resumed.state()).isEqualTo(model.state());
  }

  private static void train(Model model, LocalOptimizer optimizer) {
    optimizer.zeroGrad();
    model.forward(X).mul(model.forward(X)).mean().backward();
    assertThat(optimizer.step().changed()).isEqualTo(7);
  }

  @Test
  void modeReachesAllParts() {
    Model model = new Model(1);
    assertThat(model.isTraining()).isTrue();
    assertThat(model.body.isTraining()).isTrue();
    model.eval();
    assertThat(model.isTraining()).isFalse();
    assertThat(model.body.children().values()).noneMatch(Module::isTraining);
    model.train();
    assertThat(model.body.children().values()).allMatch(Module::isTraining);
  }

  @Test
  void batchNormUsesBatchInTrainingOnly() {
    BatchNorm norm = new BatchNorm(3, Init.seeded(1));
    Variable one = Variable.of(X.value());
    Variable unused = norm.forward(one);
    norm.eval();
    Map<String, Tensor> before = norm.state();
    double[] whole = norm.forward(one).value().toDoubles();
    Variable row = Variable.of(Tensor.wrap(Arrays.copyOf(X.value().toFloats(), 3), 1, 3));
    assertThat(norm.forward(row).value().toDoubles())
        .containsExactly(Arrays.copyOf(whole, 3), within(1e-6));
    assertThat(norm.state()).isEqualTo(before);
    norm.train();
    refused(() -> norm.forward(row), "batch_norm", "more than one value per channel");
  }

  @Test
  void dropoutDropsItsShareInTrainingOnly() {
    Dropout dropout = new Dropout(0.25, Init.seeded(5));
    Variable ones = Variable.parameter(Tensor.full(DType.FLOAT64, 1, 100, 100));
    Variable y = dropout.forward(ones);
    double[] values = y.value().toDoubles();
    long dropped = Arrays.stream(values).filter(each -> each == 0).count();
    assertThat(dropped).isBetween(2_300L, 2_700L);
    assertThat(Arrays.stream(values).filter(each -> each != 0)).allMatch(each -> each == 1 / 0.75);
    y.sum().backward();
    assertThat(ones.grad()).isEqualTo(y.value());
    assertThat(dropout.forward(ones).value()).isNotEqualTo(y.value());
    assertThat(new Dropout(0.25, Init.seeded(5)).forward(ones).value()).isEqualTo(y.value());
    dropout.eval();
    assertThat(dropout.forward(ones)).isSameAs(ones);
  }

  @Test
  void lstmDropsBetweenLayersInTraining() {
    RecurrentOptions options = RecurrentOptions.defaults().withLayers(2).withDropout(0.5);
    Lstm lstm = new Lstm(3, 8, options, Init.seeded(1));
    Variable x = Variable.of(Init.seeded(2).normal(0, 1, 4, 2, 3));
    assertThat(lstm.forward(x).value()).isNotEqualTo(lstm.forward(x).value());
    lstm.eval();
    assertThat(lstm.forward(x).value()).isEqualTo(lstm.forward(x).value());
  }

  @Test
  void transformerLayerDropsInTraining() {
    var options = TransformerOptions.defaults().withFeedforward(8).withDropout(0.5);
    var layer = new TransformerEncoderLayer(4, 2, options, Init.seeded(1));
    Variable x = Variable.of(Init.seeded(2).normal(0, 1, 3, 2, 4));
    assertThat(layer.forward(x).value()).isNotEqualTo(layer.forward(x).value());
    layer.eval();
    assertThat(layer.forward(x).value()).isEqualTo(layer.forward(x).value());
  }

  @Test
  void sharedPartsAreTrainedOnce() {
    Linear shared = new Linear(2, 2, Init.seeded(1));
    Sequential twice = new Sequential(shared, Module.of(Variable::tanh), shared);
    assertThat(twice.namedParameters().keySet()).containsExactly("0.weight", "0.bias");
    assertThat(twice.state().keySet()).containsExactly("0.weight", "0.bias", "2.weight", "2.bias");
  }

  @Test
  void sequentialMayHaveNames() {
    Init init = Init.seeded(1);
    Map<String, Module<Variable, Variable>> parts = new LinkedHashMap<>();
    parts.put("second", new Linear(2, 3, init));
    parts.put("first", new Linear(3, 1, init));
    assertThat(new Sequential(parts).namedParameters().keySet())
        .containsExactly("second.weight", "second.bias", "first.weight", "first.bias");
  }

  @Test
  void sameSeedGivesSameBits() {
    // The same generator as the JDK's, which does not promise to stay what it is.
    SplittableRandom jdk = new SplittableRandom(42);
    Init init = Init.seeded(42);
    for (int i = 0; i < 10; i++) {
      assertThat(Init.at(42, i)).isEqualTo(init.nextLong()).isEqualTo(jdk.nextLong());
    }
    assertThat(new Model(7).state()).isEqualTo(new Model(7).state());
    assertThat(new Model(7).state()).isNotEqualTo(new Model(8).state());
    assertThat(Init.from(new Random(1)).nextLong()).isEqualTo(Init.from(new Random(1)).nextLong());
    assertThat(init.normal(0, 1, 3).toDoubles())
        .containsExactly(-0.6765279769897461, -1.190777063369751, 0.4266466498374939);
  }

  @Test
  void parametersStartLikeThoseOfTorch() {
    Init init = Init.seeded(3).with(DType.FLOAT64);
    uniform(new Linear(64, 100, init), "weight", 1 / 8.0);
    uniform(new Linear(64, 400, init), "bias", 1 / 8.0);
    uniform(new Conv2d(8, 64, 4, ConvOptions.defaults().withGroups(2), init), "weight", 1 / 8.0);
    uniform(new Conv1d(4, 200, 4, init), "bias", 1 / 4.0);
    uniform(new Lstm(20, 64, init), "weight_ih_l0", 1 / 8.0);
    uniform(new Gru(20, 64, init), "bias_hh_l0", 1 / 8.0);
    uniform(new MultiHeadAttention(24, 2, init), "in_proj_weight", Math.sqrt(6.0 / 96));
    uniform(new MultiHeadAttention(64, 2, init), "out_proj.weight", 1 / 8.0);
    double[] rows = state(new Embedding(100, 50, init), "weight");
    double mean = Arrays.stream(rows).average().orElseThrow();
    double square = Arrays.stream(rows).map(x -> x * x).average().orElseThrow();
    assertThat(mean).isCloseTo(0, within(0.05));
    assertThat(square - mean * mean).isCloseTo(1, within(0.06));
    assertThat(state(new Embedding(3, 4, 1, init), "weight"))
        .matches(all -> Arrays.stream(all, 4, 8).allMatch(x -> x == 0))
        .matches(all -> Arrays.stream(all).filter(x -> x == 0).count() == 4);
    assertThat(state(new BatchNorm(2, init), "weight")).containsExactly(1, 1);
    assertThat(state(new BatchNorm(2, init), "running_var")).containsExactly(1, 1);
    assertThat(state(new LayerNorm(2, init), "bias")).containsExactly(0, 0);
    assertThat(new Linear(0, 2, init).forward(Variable.of(Tensor.zeros(DType.FLOAT64, 1, 0))))
        .satisfies(y -> assertThat(y.value().toDoubles()).containsExactly(0, 0));
    assertThat(new Linear(1, 1, Init.seeded(1)).state().get("weight").dtype())
        .isEqualTo(DType.FLOAT32);
  }

  private static double[] state(Module<?, ?> module, String name) {
    return module.state().get(name).toDoubles();
  }

  /** Checks that numbers are within a bound, fill it, and have the variance of uniform ones. */
  private static void uniform(Module<?, ?> module, String name, double bound) {
    double[] values = state(module, name);
    assertThat(values).as(name).hasSizeGreaterThanOrEqualTo(192);
    assertThat(Arrays.stream(values)).as(name).allMatch(x -> Math.abs(x) <= bound);
    assertThat(Arrays.stream(values).max().orElseThrow()).as(name).isGreaterThan(0.95 * bound);
    assertThat(Arrays.stream(values).min().orElseThrow()).as(name).isLessThan(-0.95 * bound);
    assertThat(Arrays.stream(values).map(x -> x * x).average().orElseThrow())
        .as(name)
        .isCloseTo(bound * bound / 3, within(0.1 * bound * bound));
  }

  @Test
  void moduleMovesAndGradientsReturn() {
    Linear linear = new Linear(3, 2, Init.seeded(1));
    Variable weight = linear.namedParameters().get("weight");
    linear.to(Device.sim(0));
    assertThat(linear.namedParameters().get("weight")).isSameAs(weight);
    assertThat(weight.value().device()).isEqualTo(Device.sim(0));
    Variable x = Variable.parameter(X.value());
    refused(() -> linear.forward(x), "linear", "one device");
    Variable y = linear.forward(x.to(Device.sim(0)));
    assertThat(y.value().device()).isEqualTo(Device.sim(0));
    y.to(Device.CPU).sum().backward();
    assertThat(x.grad().device()).isEqualTo(Device.CPU);
    assertThat(weight.grad().device()).isEqualTo(Device.sim(0));
    linear.load(new Linear(3, 2, Init.seeded(2)).state());
    assertThat(weight.value().device()).isEqualTo(Device.sim(0));
  }

  @Test
  void settingIsRefusedWhenWrong() {
    Init init = Init.seeded(1);
    refused(() -> new Linear(-1, 2, init), "inputs=-1");
    refused(() -> new Linear(100_000, 100_000, init), "shape");
    refused(() -> new Conv2d(3, 4, 0, init), "kernel=0");
    refused(() -> new Conv2d(3, 4, 3, ConvOptions.defaults().withGroups(2), init), "groups=2");
    refused(() -> new Conv1d(4, 3, 3, ConvOptions.defaults().withGroups(2), init), "groups=2");
    refused(() -> new Conv2d(3, 4, 3, ConvOptions.defaults().withStride(0), init), "stride");
    ConvOptions circular = ConvOptions.defaults().withPaddingMode(ConvOptions.PaddingMode.CIRCULAR);
    refused(() -> new Conv2d(3, 4, 3, circular.withPadding(1, 2, 3), init), "padding=[1, 2, 3]");
    refused(() -> new Conv1d(3, 4, 3, circular.withPadding(-1), init), "padding=-1");
    Conv1d wide = new Conv1d(1, 1, 3, circular.withPadding(4), init);
    Variable narrow = Variable.of(init.normal(0, 1, 1, 1, 3));
    refused(() -> wide.forward(narrow), "mode=circular");
    refused(
        () -> new Conv2d(3, 4, 3, ConvOptions.defaults().withPadding(1, 2, 3), init), "padding");
    refused(() -> new Embedding(3, 2, 3, init), "padding=3");
    refused(() -> new LayerNorm(List.of(), 1e-5, true, init), "shape=[]");
    refused(() -> BatchNormOptions.defaults().withMomentum(1.5), "momentum=1.5");
    refused(() -> new Dropout(-0.1, init), "probability=-0.1");
    refused(() -> RecurrentOptions.defaults().withLayers(0), "layers=0");
    refused(() -> new Gru(1, 0, init), "hidden=0");
    refused(() -> new MultiHeadAttention(6, 4, init), "heads=4", "columns=6");
    refused(() -> new TransformerEncoderLayer(6, 4, init), "heads=4", "columns=6");
    refused(() -> TransformerOptions.defaults().withFeedforward(0), "feedforward=0");
    refused(() -> TransformerOptions.defaults().withDropout(2), "dropout=2.0");
    refused(() -> TransformerOptions.defaults().withEps(-1), "eps=-1.0");
    refused(() -> init.with(DType.INT64), "INT64");
    refused(() -> new Gru(3, 2, init).forward(X), "gru", "[6, 3]");
    Variable steps = Variable.of(init.normal(0, 1, 4, 2, 3));
    Variable state = Variable.of(init.full(0, 1, 2, 3));
    refused(() -> new Gru(3, 2, init).run(steps, state), "a state of gru", "[1, 2, 2]");
  }

  @Test
  void partIsRefusedWhenWrong() {
    Model model = new Model(1);
    refused(() -> model.parameter("a.b", Tensor.scalar(1)), "no dot", "a.b");
    refused(() -> model.parameter("", Tensor.scalar(1)), "at least one character");
    refused(() -> model.parameter("scale", Tensor.scalar(1)), "has a scale already");
    refused(() -> model.buffer("tail", Tensor.scalar(1)), "has a tail already");
    refused(() -> model.child("seen", model.body), "has a seen already");
    refused(() -> model.parameter("count", Tensor.wrap(new long[] {1})), "floating-point");
    refused(() -> model.child("self", model), "part of itself");
    refused(() -> model.seen.set(Tensor.scalar(1)), "keeps its type and shape");
    assertThat(model.state()).hasSize(11);
  }

  private static void refused(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class,
            e -> assertThat(e.status()).as("%s", e).isEqualTo(Status.BAD_ARGUMENT))
        .satisfies(e -> List.of(parts).forEach(part -> assertThat(e).hasMessageContaining(part)));
  }
}
