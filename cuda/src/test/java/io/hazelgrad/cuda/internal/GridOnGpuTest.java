package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.RemoteModule;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.parallel.DataParallel;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.device.Devices;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.profile.Detail;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.Profile;
import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.testkit.JvmCluster;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Workers whose tensors are on GPUs; each is a JVM of its own. */
class GridOnGpuTest {
  private static final Device GPU = TestGpu.DEVICE;
  private static final int STEPS = 3;

  private static JvmCluster cluster;

  /** Work of the workers. */
  @RemoteFunctions
  static final class Functions {
    private Functions() {}

    static Variable product(Variable a, Variable b) {
      if (!a.value().device().equals(GPU)) {
        throw new IllegalStateException("on " + a.value().device());
      }
      return a.matmul(b).tanh();
    }

    /** Trains a model on this worker's part of a batch; returns its parameters. */
    static Map<String, Tensor> train(List<String> names, String device) {
      Module<Variable, Variable> model = model();
      model.to(Device.parse(device));
      try (Collective all = Collectives.on(Grid.current()).join("train " + device, names);
          DataParallel parallel = DataParallel.of(all, model)) {
        LocalOptimizer optimizer =
            LocalOptimizer.of(Adam.defaults().withLearningRate(0.01), model.parameters());
        for (int step = 0; step < STEPS; step++) {
          Tensor rows = random(10 + step * names.size() + all.rank(), 6, 5);
          Variable x = Variable.of(rows.to(Device.parse(device)));
          parallel.backward(model.forward(x).sum());
          var unused = optimizer.step(parallel::gradient);
          parallel.zeroGrad();
        }
        model.to(Device.CPU);
        return model.state();
      }
    }
  }

  private static Module<Variable, Variable> model() {
    Init init = Init.seeded(4);
    return new Sequential(
        new Linear(5, 8, init), Module.of(Variable::relu), new Linear(8, 3, init));
  }

  private static Tensor random(int seed, long... shape) {
    return Init.seeded(seed).normal(0, 1, shape);
  }

  @BeforeAll
  static void start() {
    Gpu unused = TestGpu.open();
    cluster = JvmCluster.workers("w1", "w2").functions(Functions.class).devices(GPU).start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void tensorsAndGradientsGoByMapAndComeBack() {
    Devices.of(cluster.grid()).map("w1", Map.of(GPU, GPU));
    Variable a = Variable.parameter(random(1, 4, 5));
    Variable b = Variable.parameter(random(2, 5, 6));
    a.matmul(b).tanh().sum().backward();
    Variable onA = Variable.parameter(a.value().to(GPU));
    Variable onB = Variable.parameter(b.value().to(GPU));
    try (Context context = Autograd.on(cluster.grid()).open()) {
      Variable y = cluster.grid().rpc().sync("w1", Functions::product, onA, onB);
      assertThat(y.value().device()).isEqualTo(GPU);
      context.backward(y.sum());
      assertClose(context.gradient(onA), a.grad());
      assertClose(context.gradient(onB), b.grad());
    }
  }

  @Test
  void profilesHaveTheTimeOfGpus() {
    Devices.of(cluster.grid()).map("w2", Map.of(GPU, GPU));
    Variable a = Variable.of(random(1, 4, 5).to(GPU));
    Variable b = Variable.of(random(2, 5, 6).to(GPU));
    try (Profile profile = Profiler.of(cluster.grid()).start(Detail.DEVICES)) {
      Variable y = cluster.grid().rpc().sync("w2", Functions::product, a, b).add(a.matmul(b));
      Variable ofCpu = Variable.of(y.value().to(Device.CPU)).relu();
      assertThat(ofCpu.value().toFloats()).hasSize(24);
      Map<String, Long> nanos =
          profile.events().stream()
              .filter(event -> event.kind() == Event.Kind.OPERATION)
              .collect(Collectors.toMap(Event::name, Event::deviceNanos));
      assertThat(nanos).hasSize(5);
      nanos.forEach(
          (name, time) ->
              assertThat(time)
                  .as(name)
                  .satisfies(it -> assertThat(it > 0).isEqualTo(!name.equals("relu"))));
    }
  }

  @Test
  void workersTellTheBytesOfTheirGpus() {
    Tensor held = random(1, 1000).to(GPU);
    assertThat(Metrics.of(cluster.grid()).figures().get("device.gpu0.used_bytes"))
        .isGreaterThanOrEqualTo(1000L * Float.BYTES);
    held.release();
  }

  @Test
  void moduleOnRemoteGpuGivesWhatLocalOneGives() {
    Linear local = new Linear(5, 3, Init.seeded(4));
    Variable x = Variable.parameter(random(3, 7, 5));
    Variable expected = local.forward(x);
    expected.sum().backward();
    try (RemoteModule<Variable, Variable> there =
            RemoteModule.create(cluster.grid(), "w2/gpu:0", Linear::new, 5, 3, Init.seeded(9));
        Context context = Autograd.on(cluster.grid()).open()) {
      there.load(local.state());
      Variable y = there.forward(x);
      assertThat(y.value().device()).isEqualTo(Device.CPU);
      assertThat(y.value().toFloats()).containsExactly(expected.value().toFloats(), within(1e-5f));
      context.backward(y.sum());
      assertThat(context.gradient(x).toFloats())
          .containsExactly(Objects.requireNonNull(x.grad()).toFloats(), within(1e-5f));
    }
  }

  @Test
  void parallelTrainingOnGpusGivesWhatCpusGive() {
    List<String> names = List.of("w1", "w2");
    List<Map<String, Tensor>> onCpu = trained(names, "cpu");
    List<Map<String, Tensor>> onGpu = trained(names, "gpu:0");
    assertThat(onGpu.get(0)).isEqualTo(onGpu.get(1));
    onGpu
        .get(0)
        .forEach(
            (name, value) ->
                assertThat(value.toFloats())
                    .as(name)
                    .containsExactly(onCpu.get(0).get(name).toFloats(), within(1e-4f)));
  }

  private static List<Map<String, Tensor>> trained(List<String> names, String device) {
    var training =
        names.stream()
            .map(each -> cluster.grid().rpc().async(each, Functions::train, names, device))
            .toList();
    return training.stream().map(it -> it.toCompletableFuture().join()).toList();
  }

  private static void assertClose(Tensor got, Tensor want) {
    assertThat(got.device()).isEqualTo(GPU);
    assertThat(got.dtype()).isEqualTo(DType.FLOAT32);
    assertThat(got.toFloats()).containsExactly(want.toFloats(), within(1e-5f));
  }
}
