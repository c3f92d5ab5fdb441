package io.hazelgrad.tests.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.RemoteModule;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.device.Devices;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of gradients between devices: they travel by the inverse of the map of their tensors. The
 * devices are simulated.
 */
@ExtendWith(Leftovers.class)
class DeviceGradientsTest {
  private static final Device SIM0 = Device.sim(0);
  private static final Device SIM1 = Device.sim(1);
  private static final Device SIM2 = Device.sim(2);
  private static final Device SIM3 = Device.sim(3);
  private static final Function<Variable> ADD = Function.operator("add");
  private static final Function<Variable> MUL = Function.operator("mul");
  private static final Function<Variable> MATMUL = Function.operator("matmul");

  private static JvmCluster cluster;
  private static Devices devices;
  private static Rpc rpc;

  @BeforeAll
  static void start() {
    cluster =
        JvmCluster.workers("worker1", "worker2", "worker3")
            .joinedBy("worker0")
            .devices(SIM0, SIM1, SIM2, SIM3)
            .start();
    devices = Devices.of(cluster.grid());
    rpc = cluster.grid().rpc();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void withoutMaps() {
    for (int i = 0; i < 4; i++) {
      devices.unmap("worker" + i);
    }
  }

  private static Context open() {
    return Autograd.on(cluster.grid()).open();
  }

  private static Tensor random(long seed, long... shape) {
    return Tensor.wrap(new Random(seed).doubles(Tensor.sizeOf(shape)).toArray(), shape);
  }

  private static Variable leaf(long seed, Device device, long... shape) {
    return Variable.parameter(random(seed, shape).to(device));
  }

  private static void is(@Nullable Tensor gradient, Device device, Tensor expected) {
    Tensor found = Objects.requireNonNull(gradient, "no gradient");
    assertThat(found.device()).isEqualTo(device);
    assertThat(found.shape()).isEqualTo(expected.shape());
    assertThat(found.toDoubles()).containsExactly(expected.toDoubles(), within(1e-12));
  }

  private static Tensor ones(long... shape) {
    return Tensor.full(DType.FLOAT64, 1, shape);
  }

  /** Returns the gradient of the sum of squares. */
  private static Tensor twice(Tensor x) {
    double[] values = x.toDoubles();
    for (int i = 0; i < values.length; i++) {
      values[i] *= 2;
    }
    return Tensor.wrap(values, x.shape());
  }

  @Test
  @PeerTest("test_device_maps_backward_pass")
  void gradientsReturnByInverseOfMap() {
    for (String callee : List.of("worker0", "worker1")) {
      devices.map(callee, Map.of(SIM0, SIM1));
      Variable t1 = leaf(1, SIM0, 10);
      Variable t2 = leaf(2, SIM0, 10);
      try (Context context = open()) {
        assertThat(rpc.sync(callee, DeviceFunctions::arrivedOn, t1)).isEqualTo("sim:1");
        Variable sum = rpc.sync(callee, ADD, t1, t2);
        assertThat(sum.value().device()).isEqualTo(SIM0);
        context.backward(sum.sum());
        is(context.gradient(t1), SIM0, ones(10));
        is(context.gradient(t2), SIM0, ones(10));
      }
    }
  }

  @Test
  @PeerTest("test_gpu_simple")
  void gradientsAreOnDeviceOfLeaf() {
    Variable t1 = leaf(1, SIM0, 3, 3);
    Variable t2 = leaf(2, SIM0, 3, 3);
    t1.add(t2).sum().backward();
    is(t1.grad(), SIM0, ones(3, 3));
    try (Context context = open()) {
      context.backward(t1.add(t2).sum());
      is(context.gradient(t1), SIM0, ones(3, 3));
      is(context.gradient(t2), SIM0, ones(3, 3));
    }
  }

  /** Goes from the CPU to a device and back several times, with calls in between. */
  private static void continuation(boolean deviceRoot) {
    Variable t1 = leaf(1, SIM0, 3, 3);
    Variable t2 = leaf(2, Device.CPU, 3, 3);
    for (int round = 0; round < 3; round++) {
      continued(t1, t2, Variable::add, deviceRoot).backward();
      try (Context context = open()) {
        context.backward(continued(t1, t2, (x, y) -> rpc.sync("worker1", ADD, x, y), deviceRoot));
        is(context.gradient(t1), SIM0, Objects.requireNonNull(t1.grad()));
        is(context.gradient(t2), Device.CPU, Objects.requireNonNull(t2.grad()));
      }
      t1.zeroGrad();
      t2.zeroGrad();
    }
  }

  private static Variable continued(
      Variable t1, Variable t2, BinaryOperator<Variable> add, boolean deviceRoot) {
    Variable t4 = add.apply(t2, t2).to(SIM0).add(t1);
    Variable t5 = add.apply(t4.to(Device.CPU), t2);
    Variable t6 = t5.to(SIM0).add(t4);
    return (deviceRoot ? t6 : add.apply(t6.to(Device.CPU), t5)).sum();
  }

  @Test
  @PeerTest("test_gpu_to_cpu_continuation")
  void gradientsCrossDevicesWithRootOnCpu() {
    continuation(false);
  }

  @Test
  @PeerTest("test_gpu_to_cpu_continuation_gpu_root")
  void gradientsCrossDevicesWithRootOnDevice() {
    continuation(true);
  }

  /** There are no streams here that could be out of step. The values must be right all the same. */
  @Test
  @PeerTest("test_dist_autograd_sync_streams")
  void gradientsMatchLocalOnesOverTenRounds() {
    devices.map("worker1", Map.of(SIM0, SIM1));
    for (int round = 0; round < 10; round++) {
      Variable x = leaf(round, SIM0, 100, 100);
      Variable weight = leaf(100 + round, SIM0, 100, 100);
      x.matmul(weight).tanh().sum().backward();
      try (Context context = open()) {
        context.backward(rpc.sync("worker1", MATMUL, x, weight).tanh().sum());
        is(context.gradient(x), SIM0, Objects.requireNonNull(x.grad()));
        is(context.gradient(weight), SIM0, Objects.requireNonNull(weight.grad()));
      }
    }
  }

  /** Three layers on three workers, each on another device. */
  @Test
  @PeerTest("test_gradients_synchronizations")
  void gradientsOfThreeLayersOnThreeDevicesMatchLocalOnes() {
    Init init = Init.seeded(7).with(DType.FLOAT64);
    Variable x = leaf(1, SIM0, 5, 20);
    List<Linear> local = new ArrayList<>();
    List<RemoteModule<Variable, Variable>> remote = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      devices.map("worker" + i, Map.of(SIM0, Device.sim(i)));
      Linear layer = new Linear(20, 20, init);
      layer.to(SIM0);
      local.add(layer);
      RemoteModule<Variable, Variable> there =
          RemoteModule.create(
              cluster.grid(),
              "worker" + i + "/sim:" + i,
              Linear::new,
              20,
              20,
              Init.seeded(i).with(DType.FLOAT64));
      there.load(layer.state());
      remote.add(there);
    }
    Variable expected = x;
    for (Linear layer : local) {
      expected = layer.forward(expected);
    }
    expected.sum().backward();
    try (Context context = open()) {
      Variable y = x;
      for (RemoteModule<Variable, Variable> layer : remote) {
        y = layer.forward(y);
        assertThat(y.value().device()).isEqualTo(SIM0);
      }
      context.backward(y.sum());
      is(context.gradient(x), SIM0, Objects.requireNonNull(x.grad()));
      for (int i = 0; i < 3; i++) {
        List<RRef<Variable>> there = remote.get(i).parameterRRefs();
        List<Variable> here = local.get(i).parameters();
        for (int k = 0; k < here.size(); k++) {
          Tensor gradient = there.get(k).sync(DeviceFunctions::gradient);
          is(gradient, SIM0, Objects.requireNonNull(here.get(k).grad()));
        }
        there.forEach(RRef::close);
      }
    }
    remote.forEach(RemoteModule::close);
  }

  @Test
  void gradientsReturnOverTwoWorkersWithTheirMaps() {
    devices.map("worker1", Map.of(SIM0, SIM1));
    rpc.sync("worker1", DeviceFunctions::map, "worker2", "sim:1", "sim:3");
    Variable x = leaf(1, SIM0, 4);
    try (Context context = open()) {
      Variable y = rpc.sync("worker1", DeviceFunctions::squaredBy, "worker2", x);
      context.backward(y.sum());
      is(context.gradient(x), SIM0, twice(x.value()));
    }
  }

  /** The map at the time of the call counts, as for the call's own result. */
  @Test
  void gradientsReturnWhenMapIsRemovedMeanwhile() {
    devices.map("worker1", Map.of(SIM0, SIM1));
    Variable x = leaf(1, SIM0, 4);
    try (Context context = open()) {
      Variable y = rpc.sync("worker1", MUL, x, x);
      devices.unmap("worker1");
      context.backward(y.sum());
      is(context.gradient(x), SIM0, twice(x.value()));
    }
  }

  /** Two tensors that meet on one device return to two devices. */
  @Test
  void gradientsReturnToTwoDevicesWhenTensorsMetOnCpu() {
    devices.map("worker1", Map.of(SIM0, Device.CPU));
    Variable x = leaf(1, SIM0, 4);
    Variable y = leaf(2, Device.CPU, 4);
    try (Context context = open()) {
      Variable sum = rpc.sync("worker1", DeviceFunctions::addedOn, "cpu", x, y);
      context.backward(sum.sum());
      is(context.gradient(x), SIM0, ones(4));
      is(context.gradient(y), Device.CPU, ones(4));
    }
  }

  /** A leaf that is moved between two passes keeps its gradient, which moves with it. */
  @Test
  void gradientsOfTwoPassesAddUpWhenLeafMoved() {
    Variable x = leaf(1, SIM0, 4);
    x.sum().backward();
    x.set(x.value().to(SIM1));
    x.sum().backward();
    is(x.grad(), SIM1, Tensor.full(DType.FLOAT64, 2, 4));
  }

  /** A moved gradient would have no device to return to. */
  @Test
  void gradientIsRefusedWhenHookMovesIt() {
    devices.map("worker1", Map.of(SIM0, SIM1));
    Variable x = leaf(1, SIM0, 4);
    try (Context context = open()) {
      Variable y = rpc.sync("worker1", DeviceFunctions::squaredWithAMovingHook, x);
      assertThatThrownBy(() -> context.backward(y.sum()))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
          .hasMessageContainingAll(
              "worker worker1",
              "like the one that it got, FLOAT64 [4] on sim:1",
              "it returned FLOAT64 [4] on cpu");
      assertThat(context.gradients()).isEmpty();
    }
  }
}
