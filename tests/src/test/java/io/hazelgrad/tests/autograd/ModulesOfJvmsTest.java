package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.BatchNorm;
import io.hazelgrad.autograd.nn.Conv2d;
import io.hazelgrad.autograd.nn.ConvOptions;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Lstm;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.RemoteModule;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a model with modules in several JVMs: training, saving, sending and devices. */
@ExtendWith(Leftovers.class)
class ModulesOfJvmsTest {
  private static final int STEPS = 12;
  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("w1", "w2").devices(Device.sim(0)).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Maps images [N, 1, 4, 4] to features [N, 16]. */
  @RemoteFunctions
  static final class Features extends Module<Variable, Variable> {
    private final Sequential layers;

    Features(long seed) {
      Init init = Init.seeded(seed).with(DType.FLOAT64);
      ConvOptions padded = ConvOptions.defaults().withPadding(1);
      layers =
          child(
              "layers",
              new Sequential(
                  new Conv2d(1, 2, 3, padded, init),
                  new BatchNorm(2, init),
                  Module.of(Variable::relu),
                  new Conv2d(2, 1, 3, padded, init),
                  Module.of(x -> x.reshape(x.value().shape(0), 16))));
    }

    @Override
    public Variable forward(Variable x) {
      return layers.forward(x);
    }
  }

  /** Reads the features [N, 16] as a sequence of four, and returns scores [N, 2]. */
  @RemoteFunctions
  static final class Reader extends Module<Variable, Variable> {
    private final Lstm lstm;
    private final Linear scores;

    Reader(long seed) {
      Init init = Init.seeded(seed).with(DType.FLOAT64);
      lstm = child("lstm", new Lstm(4, 6, init));
      scores = child("scores", new Linear(6, 2, init));
    }

    @Override
    public Variable forward(Variable x) {
      long n = x.value().shape(0);
      Variable zero = Variable.of(Tensor.zeros(DType.FLOAT64, 1, n, 6));
      Variable last = lstm.run(x.reshape(4, n, 4), zero, zero).hidden();
      return scores.forward(last.reshape(n, 6));
    }
  }

  /**
   * Images and their classes: the class says whether the first half is brighter than the second.
   */
  private record Batch(Variable images, Variable classes) {
    static Batch of(long seed) {
      Tensor images = Init.seeded(seed).with(DType.FLOAT64).normal(0, 1, 8, 1, 4, 4);
      double[] pixels = images.toDoubles();
      long[] classes =
          IntStream.range(0, 8)
              .mapToLong(
                  n -> {
                    double half = IntStream.range(0, 8).mapToDouble(i -> pixels[16 * n + i]).sum();
                    return half > 0 ? 1 : 0;
                  })
              .toArray();
      return new Batch(Variable.of(images), Variable.of(Tensor.wrap(classes, 8)));
    }
  }

  /** The same model, split over two workers. */
  private static final class Split implements AutoCloseable {
    final RemoteModule<Variable, Variable> features;
    final RemoteModule<Variable, Variable> reader;
    final List<RRef<Variable>> parameters = new ArrayList<>();
    final DistributedOptimizer optimizer;

    Split(long seed) {
      features = RemoteModule.create(cluster.grid(), "w1", Features::new, seed);
      reader = RemoteModule.create(cluster.grid(), "w2", Reader::new, seed + 1);
      parameters.addAll(features.parameterRRefs());
      parameters.addAll(reader.parameterRRefs());
      optimizer =
          DistributedOptimizer.create(
              cluster.grid(), Adam.defaults().withLearningRate(0.02), parameters);
    }

    Variable forward(Variable x) {
      return reader.forward(features.forward(x));
    }

    double train(int from, int to) {
      double loss = 0;
      for (int step = from; step < to; step++) {
        Batch batch = Batch.of(step);
        try (Context context = Autograd.on(cluster.grid()).open()) {
          Variable error = forward(batch.images).crossEntropy(batch.classes);
          context.backward(error);
          assertThat(optimizer.step(context).changed()).isEqualTo(12);
          loss = error.value().item();
        }
      }
      return loss;
    }

    @Override
    public void close() {
      optimizer.close();
      parameters.forEach(RRef::close);
      features.close();
      reader.close();
    }
  }

  @Test
  void trainingOverJvmsMatchesTrainingInOne() {
    Features features = new Features(1);
    Reader reader = new Reader(2);
    List<Variable> parameters = new ArrayList<>(features.parameters());
    parameters.addAll(reader.parameters());
    LocalOptimizer optimizer =
        LocalOptimizer.of(Adam.defaults().withLearningRate(0.02), parameters);
    double expected = 0;
    for (int step = 0; step < STEPS; step++) {
      Batch batch = Batch.of(step);
      optimizer.zeroGrad();
      Variable error = reader.forward(features.forward(batch.images)).crossEntropy(batch.classes);
      error.backward();
      assertThat(optimizer.step().changed()).isEqualTo(12);
      expected = error.value().item();
    }
    try (Split split = new Split(1)) {
      assertThat(split.parameters).hasSize(12);
      assertThat(split.parameters.subList(0, 6)).allMatch(p -> p.owner().name().equals("w1"));
      assertThat(split.parameters.subList(6, 12)).allMatch(p -> p.owner().name().equals("w2"));
      assertThat(split.train(0, STEPS)).isCloseTo(expected, within(1e-9));
      assertSame(split.features.state(), features.state());
      assertSame(split.reader.state(), reader.state());
      assertThat(split.features.state().get("layers.1.num_batches_tracked").toLongs())
          .containsExactly(STEPS);

      features.eval();
      split.features.eval();
      Batch batch = Batch.of(99);
      Tensor whole = reader.forward(features.forward(batch.images)).value();
      assertThat(split.forward(batch.images).value().toDoubles())
          .containsExactly(whole.toDoubles(), within(1e-9));
      assertSame(split.features.state(), features.state());
    }
  }

  private static void assertSame(Map<String, Tensor> found, Map<String, Tensor> expected) {
    assertThat(found.keySet()).containsExactlyElementsOf(expected.keySet());
    expected.forEach(
        (name, want) ->
            assertThat(found.get(name).toDoubles())
                .as(name)
                .containsExactly(want.toDoubles(), within(1e-9)));
  }

  @Test
  void modelAndOptimizerContinueFromFileBitForBit(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("model.safetensors");
    double expected;
    Map<String, Tensor> state;
    try (Split split = new Split(1)) {
      double unused = split.train(0, 4);
      Map<String, Tensor> extras = new HashMap<>();
      split.features.state().forEach((name, value) -> extras.put("features." + name, value));
      split.optimizer.checkpoint(extras).write(file);
      expected = split.train(4, 8);
      state = split.features.state();
    }
    try (Split resumed = new Split(7)) {
      Checkpoint checkpoint = Checkpoint.read(file);
      Map<String, Tensor> features = new HashMap<>();
      checkpoint
          .extras()
          .forEach((name, value) -> features.put(name.substring("features.".length()), value));
      resumed.features.load(features);
      resumed.optimizer.restore(checkpoint);
      assertThat(resumed.train(4, 8)).isEqualTo(expected);
      assertThat(resumed.features.state()).isEqualTo(state);
      assertFails(
          () -> resumed.reader.load(features),
          Status.BAD_ARGUMENT,
          "layers.0.weight is unknown",
          "no scores.bias");
    }
  }

  /** The example of docs/training.md. */
  @RemoteFunctions
  public static final class Mlp extends Module<Variable, Variable> {
    private final Linear hidden;
    private final Linear output;

    public Mlp(int inputs, int width, int outputs, long seed) {
      Init init = Init.seeded(seed);
      hidden = child("hidden", new Linear(inputs, width, init));
      output = child("output", new Linear(width, outputs, init));
    }

    @Override
    public Variable forward(Variable x) {
      return output.forward(hidden.forward(x).relu());
    }
  }

  @Test
  void exampleOfDocumentationTrains() {
    Variable x = Variable.of(Init.seeded(1).normal(0, 1, 4, 64));
    Variable y = Variable.of(Tensor.wrap(new long[] {3, 1, 4, 1}, 4));
    List<Double> losses = new ArrayList<>();
    try (RemoteModule<Variable, Variable> model =
        RemoteModule.create(cluster.grid(), "w1", Mlp::new, 64, 32, 10, 7L)) {
      List<RRef<Variable>> parameters = model.parameterRRefs();
      try (DistributedOptimizer optimizer =
          DistributedOptimizer.create(cluster.grid(), Adam.defaults(), parameters)) {
        for (int i = 0; i < 5; i++) {
          try (Context context = Autograd.on(cluster.grid()).open()) {
            Variable loss = model.forward(x).crossEntropy(y);
            context.backward(loss);
            assertThat(optimizer.step(context).changed()).isEqualTo(4);
            losses.add(loss.value().item());
          }
        }
      } finally {
        parameters.forEach(RRef::close);
      }
      assertThat(model.state().keySet())
          .containsExactly("hidden.weight", "hidden.bias", "output.weight", "output.bias");
    }
    assertThat(losses).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
  }

  /** Computes with a module of another worker and a parameter of its own. */
  @RemoteFunctions
  static final class Third extends Module<Variable, Variable> {
    private final RemoteModule<Variable, Variable> next;
    private final Variable gain;

    Third(RemoteModule<Variable, Variable> next) {
      this.next = next.keep();
      gain = parameter("gain", Tensor.scalar(2));
    }

    @Override
    public Variable forward(Variable x) {
      return next.forward(x.mul(gain));
    }

    /** Releases the handle that was kept. */
    int release() {
      next.close();
      return 0;
    }
  }

  @Test
  void thirdWorkerTrainsThroughReceivedModule() {
    Init init = Init.seeded(3).with(DType.FLOAT64);
    Linear expected = new Linear(3, 1, Init.seeded(5).with(DType.FLOAT64));
    Variable gain = Variable.parameter(Tensor.scalar(2));
    Variable x = Variable.of(init.normal(0, 1, 4, 3));
    List<Variable> all = List.of(gain, expected.parameters().get(0), expected.parameters().get(1));
    expected.forward(x.mul(gain)).mean().backward();
    LocalOptimizer.of(Sgd.of(0.1), all).step();

    Init begin = Init.seeded(5).with(DType.FLOAT64);
    try (RemoteModule<Variable, Variable> linear =
            RemoteModule.create(cluster.grid(), "w1", Linear::new, 3, 1, begin);
        RRef<Third> third = cluster.rrefs().remote("w2", Third::new, linear);
        RemoteModule<Variable, Variable> whole = RemoteModule.of(third)) {
      List<RRef<Variable>> parameters = new ArrayList<>(whole.parameterRRefs());
      parameters.addAll(linear.parameterRRefs());
      try (DistributedOptimizer optimizer =
              DistributedOptimizer.create(cluster.grid(), Sgd.of(0.1), parameters);
          Context context = Autograd.on(cluster.grid()).open()) {
        context.backward(whole.forwardAsync(x).join().mean());
        assertThat(optimizer.step(context).changed()).isEqualTo(3);
      }
      parameters.forEach(RRef::close);
      assertThat(whole.state()).isEqualTo(Map.of("gain", gain.value()));
      assertThat(linear.state()).isEqualTo(expected.state());
      int unused = third.sync(Third::release);
    }
  }

  @Test
  void moduleOnDeviceTakesTensorOnCpu() {
    Linear expected = new Linear(3, 2, Init.seeded(5));
    Variable x = Variable.parameter(Init.seeded(6).normal(0, 1, 4, 3));
    expected.forward(x).sum().backward();
    try (RemoteModule<Variable, Variable> there =
            RemoteModule.create(cluster.grid(), "w1/sim:0", Linear::new, 3, 2, Init.seeded(5));
        Context context = Autograd.on(cluster.grid()).open()) {
      assertThat(there.device()).isEqualTo(Device.sim(0));
      Variable y = there.forward(x);
      assertThat(y.value()).isEqualTo(expected.forward(x).value());
      assertThat(y.value().device()).isEqualTo(Device.CPU);
      context.backward(y.sum());
      assertThat(context.gradient(x)).isEqualTo(x.grad());
    }
    assertFails(
        () -> RemoteModule.create(cluster.grid(), "w1/sim:1", Linear::new, 3, 2, Init.seeded(5)),
        Status.BAD_ARGUMENT,
        "worker w1 has no device sim:1");
  }

  @Test
  void firstUseFailsWhenConstructorThrew() {
    try (RemoteModule<Variable, Variable> bad =
        RemoteModule.create(cluster.grid(), "w1", Linear::new, -1, 2, Init.seeded(5))) {
      assertFails(() -> bad.forward(Batch.of(1).images), Status.BAD_ARGUMENT, "inputs=-1");
    }
  }
}
