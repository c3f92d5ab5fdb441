package io.hazelgrad.tests.devices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.device.Devices;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of device maps, with simulated devices in the place of GPUs. Calls go to the next worker
 * and to the caller itself; parameters select the devices.
 */
@ExtendWith(Leftovers.class)
class DeviceMapsTest {
  private static final Device SIM0 = Device.sim(0);
  private static final Device SIM1 = Device.sim(1);
  private static final Device SIM2 = Device.sim(2);
  private static final Device SIM3 = Device.sim(3);
  private static final Map<Device, Device> IDENTITY = Map.of(SIM0, SIM0, SIM1, SIM1);
  private static final Map<Device, Device> SWAP = Map.of(SIM0, SIM1, SIM1, SIM0);
  private static final Tensor ONES = Tensor.of(new double[] {1, 1}, 2);
  private static final Tensor TWOS = Tensor.of(new double[] {2, 2}, 2);

  private static JvmCluster cluster;
  private static Devices devices;
  private static Rpc rpc;

  @BeforeAll
  static void start() {
    cluster =
        JvmCluster.workers("worker1").joinedBy("worker0").devices(SIM0, SIM1, SIM2, SIM3).start();
    devices = Devices.of(cluster.grid());
    rpc = cluster.grid().rpc();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void withoutMaps() {
    devices.unmap("worker0");
    devices.unmap("worker1");
  }

  @Test
  @PeerTest("test_device_maps_wrong_worker_name")
  void mapIsRefusedWhenWorkerIsUnknown() {
    refused(
        Status.UNKNOWN_WORKER, "none", () -> devices.map("none", Map.of(SIM0, SIM1)), "worker1");
  }

  @Test
  @PeerTest("test_device_maps_invalid_max_local_device")
  void mapIsRefusedWhenLocalDeviceIsAbsent() {
    refused(
        Status.BAD_CONFIG,
        "worker worker0 has only",
        () -> devices.map("worker1", Map.of(Device.sim(9), SIM0)),
        "sim:9");
  }

  @Test
  @PeerTest("test_device_maps_invalid_max_remote_device")
  void mapIsRefusedWhenRemoteDeviceIsAbsent() {
    refused(
        Status.BAD_CONFIG,
        "worker worker1 has only",
        () -> devices.map("worker1", Map.of(SIM0, Device.sim(9))),
        "sim:9");
  }

  @Test
  @PeerTest("test_device_maps_many_to_one")
  void mapIsRefusedWhenTwoDevicesShareTarget() {
    refused(
        Status.BAD_CONFIG,
        "sends both",
        () -> devices.map("worker1", Map.of(SIM0, SIM1, SIM1, SIM1)),
        "to sim:1");
  }

  @Test
  @PeerTest("test_device_maps_one_to_many")
  void mapsOfOneDeviceReplaceAndMerge() {
    devices.map("worker1", Map.of(SIM0, SIM1));
    refused(
        Status.BAD_CONFIG,
        "sends both",
        () -> devices.map("worker1", Map.of(SIM1, SIM1)),
        "to sim:1");
    assertThat(devices.map("worker1")).as("unchanged").containsExactly(Map.entry(SIM0, SIM1));
    devices.map("worker1", Map.of(SIM0, SIM0));
    assertThat(devices.map("worker1")).as("replaced").containsExactly(Map.entry(SIM0, SIM0));
    devices.map("worker1", Map.of(SIM1, SIM1));
    assertThat(devices.map("worker1")).as("merged").isEqualTo(IDENTITY);
  }

  @Test
  @PeerTest("test_device_maps_invalid_min_device")
  void deviceIsRefusedWhenIndexIsNegative() {
    assertThatThrownBy(() -> Device.sim(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("index=-1");
  }

  @Test
  @PeerTest("test_devices_option_mismatch")
  void configurationIsRefusedWhenLocalDeviceIsAbsent() {
    refused(
        Status.BAD_CONFIG,
        "worker w has only cpu and [sim:1]",
        () ->
            HazelgradConfig.named("w")
                .devices(SIM1)
                .deviceMap("worker1", Map.of(SIM0, SIM1))
                .build(),
        "sim:0");
  }

  /** A configured map is checked at the first call, because the worker may join later. */
  @Test
  @PeerTest("test_devices_option_mismatch_reverse")
  void callFailsWhenConfiguredRemoteDeviceIsAbsent() {
    HazelgradConfig.Builder config =
        cluster
            .processes()
            .joiner("worker2")
            .devices(SIM0)
            .deviceMap("worker1", Map.of(SIM0, Device.sim(9)));
    try (Grid grid = Grid.join(config.build())) {
      refused(
          Status.BAD_CONFIG,
          "worker worker1 has only",
          () -> grid.rpc().async("worker1", DeviceFunctions::deviceOf, ONES),
          "sim:9");
    }
  }

  @Test
  @PeerTest("test_device_maps_in_options")
  void configuredMapAppliesToCalls() {
    HazelgradConfig.Builder config =
        cluster.processes().joiner("worker2").devices(SIM0, SIM1).deviceMap("worker1", SWAP);
    try (Grid grid = Grid.join(config.build())) {
      assertThat(grid.rpc().sync("worker1", DeviceFunctions::deviceOf, ONES.to(SIM0)))
          .isEqualTo("sim:1");
    }
  }

  /** Covers all directions between the CPU and two devices. */
  @ParameterizedTest
  @CsvSource({
    "cpu,cpu",
    "cpu,sim:0",
    "cpu,sim:1",
    "sim:0,cpu",
    "sim:1,cpu",
    "sim:0,sim:0",
    "sim:1,sim:1",
    "sim:0,sim:1",
    "sim:1,sim:0"
  })
  @PeerTest({
    "test_device_maps_gpu",
    "test_device_map_cpu",
    "test_device_map_cpu_to_gpu_default",
    "test_device_map_cpu_to_gpu_non_default",
    "test_device_map_gpu_to_cpu_default",
    "test_device_map_gpu_to_cpu_non_default",
    "test_device_map_gpu_default",
    "test_device_map_gpu_non_default",
    "test_device_map_gpu_default_to_non_default",
    "test_device_map_gpu_non_default_to_default"
  })
  void tensorsMoveByMapAndBack(String from, String to) {
    for (String callee : List.of("worker0", "worker1")) {
      devices.map(callee, Map.of(Device.parse(from), Device.parse(to)));
      Tensor x = ONES.to(Device.parse(from));
      Function<Tensor> add =
          Function.named(
              DeviceFunctions.class, "add", Tensor.class, Tensor.class, String.class, String.class);
      Tensor result = rpc.sync(callee, add, x, x, to, to);
      assertThat(result.device()).hasToString(from);
      assertThat(result).isEqualTo(TWOS);
    }
  }

  /** The arguments are on two devices; the map keeps or swaps them. */
  @ParameterizedTest
  @CsvSource({
    "sim:0,sim:0,false", "sim:0,sim:1,false", "sim:1,sim:0,false", "sim:1,sim:1,false",
    "sim:0,sim:0,true", "sim:0,sim:1,true", "sim:1,sim:0,true", "sim:1,sim:1,true"
  })
  @PeerTest({
    "test_device_maps_gpu",
    "test_device_map_gpu_mixed_1",
    "test_device_map_gpu_mixed_2",
    "test_device_map_gpu_mixed_3",
    "test_device_map_gpu_mixed_4",
    "test_device_map_gpu_mixed_5",
    "test_device_map_gpu_mixed_6",
    "test_device_map_gpu_mixed_7",
    "test_device_map_gpu_mixed_8",
    "test_device_map_gpu_mixed_self_1",
    "test_device_map_gpu_mixed_self_2",
    "test_device_map_gpu_mixed_self_3",
    "test_device_map_gpu_mixed_self_4",
    "test_device_map_gpu_mixed_self_5",
    "test_device_map_gpu_mixed_self_6",
    "test_device_map_gpu_mixed_self_7",
    "test_device_map_gpu_mixed_self_8"
  })
  void tensorsOfTwoDevicesMoveByMapAndBack(String first, String second, boolean swapped) {
    Map<Device, Device> map = swapped ? SWAP : IDENTITY;
    Device x = Device.parse(first);
    Device y = Device.parse(second);
    Function<Tensor> add =
        Function.named(
            DeviceFunctions.class, "add", Tensor.class, Tensor.class, String.class, String.class);
    for (String callee : List.of("worker0", "worker1")) {
      devices.map(callee, map);
      Tensor result =
          rpc.sync(callee, add, ONES.to(x), ONES.to(y), map.get(x) + "", map.get(y) + "");
      assertThat(result.device()).isEqualTo(x);
      assertThat(result).isEqualTo(TWOS);
    }
  }

  @Test
  @PeerTest({"test_device_maps_multi_gpu", "test_device_maps_multi_gpu_self"})
  void resultsOfTwoDevicesMoveByMap() {
    Function<List<Tensor>> both =
        Function.named(
            DeviceFunctions.class,
            "addOnBoth",
            Tensor.class,
            Tensor.class,
            String.class,
            String.class);
    for (String callee : List.of("worker0", "worker1")) {
      devices.map(callee, SWAP);
      List<Tensor> results = rpc.sync(callee, both, ONES.to(SIM0), ONES.to(SIM1), "sim:1", "sim:0");
      assertThat(results).extracting(Tensor::device).containsExactly(SIM0, SIM1);
      assertThat(results).containsExactly(TWOS, TWOS);
    }
  }

  @Test
  @PeerTest({"test_device_maps_return_to_gpu", "test_device_maps_return_to_gpu_self"})
  void resultsMoveByInverseOfMap() {
    Map<Device, Device> cycle = Map.of(SIM0, SIM1, SIM1, SIM2, SIM2, SIM3, SIM3, SIM0);
    for (String callee : List.of("worker0", "worker1")) {
      devices.map(callee, cycle);
      cycle.forEach(
          (here, there) -> {
            Tensor result = rpc.sync(callee, DeviceFunctions::moved, ONES, there.toString());
            assertThat(result.device()).as("from %s", there).isEqualTo(here);
          });
    }
  }

  @Test
  @PeerTest("test_device_maps_missing_config")
  void argumentIsRefusedWithoutMap() {
    refused(
        Status.BAD_VALUE,
        "argument 0",
        () -> rpc.async("worker1", DeviceFunctions::deviceOf, ONES.to(SIM0)),
        "no device mapping for sim:0 from worker worker0 to worker worker1");
    assertThat(rpc.sync("worker1", DeviceFunctions::deviceOf, ONES)).isEqualTo("cpu");
  }

  /** There are fewer threads than refused calls. */
  @Test
  @PeerTest("test_device_maps_missing_config_loop")
  void argumentsAreRefusedWithoutMapFortyTimes() {
    for (int i = 0; i < 40; i++) {
      argumentIsRefusedWithoutMap();
    }
  }

  @Test
  @PeerTest("test_device_maps_missing_config_not_timeout")
  void argumentIsRefusedWithoutMapAndDeadline() {
    refused(
        Status.BAD_VALUE,
        "argument 0",
        () -> rpc.within(Duration.ZERO).async("worker1", DeviceFunctions::deviceOf, ONES.to(SIM0)),
        "no device mapping");
  }

  @Test
  @PeerTest("test_device_maps_missing_config_remote")
  void creationIsRefusedWithoutMap() {
    refused(
        Status.BAD_VALUE,
        "argument 0",
        () -> cluster.rrefs().remote("worker1", DeviceFunctions::deviceOf, ONES.to(SIM0)),
        "no device mapping");
    assertThat(cluster.objectsOn("worker1")).isZero();
  }

  @Test
  @PeerTest("test_device_maps_missing_config_response")
  void resultIsRefusedWithoutMap() {
    refused(
        Status.BAD_VALUE,
        "for the response from worker worker1 to worker worker0",
        () -> rpc.sync("worker1", DeviceFunctions::moved, ONES, "sim:0"),
        "no device mapping for sim:0");
    assertThat(rpc.sync("worker1", DeviceFunctions::moved, ONES, "cpu")).isEqualTo(ONES);
  }

  @Test
  @PeerTest("test_device_maps_missing_config_response_loop")
  void resultsAreRefusedWithoutMapFortyTimes() {
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      calls.add(rpc.async("worker1", DeviceFunctions::moved, ONES, "sim:0"));
    }
    calls.forEach(
        call -> refused(Status.BAD_VALUE, "for the response", () -> Rpc.await(call), "no device"));
    assertThat(rpc.sync("worker1", DeviceFunctions::moved, ONES, "cpu")).isEqualTo(ONES);
  }

  @Test
  @PeerTest("test_device_maps_missing_config_remote_response")
  void fetchIsRefusedWithoutMapAndSucceedsWithMap() {
    try (RRef<Tensor> there =
        cluster.rrefs().remote("worker1", DeviceFunctions::moved, ONES, "sim:0")) {
      refused(Status.BAD_VALUE, "for the response", there::toHere, "no device mapping");
      devices.map("worker1", SWAP);
      assertThat(there.toHere().device()).isEqualTo(SIM1);
    }
  }

  @Test
  @PeerTest("test_device_maps_remote")
  void objectReturnsByInverseOfMap() {
    devices.map("worker1", Map.of(SIM1, SIM0));
    try (RRef<Tensor> there =
        cluster.rrefs().remote("worker1", DeviceFunctions::sum, ONES.to(SIM1), ONES.to(SIM1))) {
      assertThat(there.toHere().device()).isEqualTo(SIM1);
      assertThat(there.toHere()).isEqualTo(TWOS);
    }
  }

  @Test
  @PeerTest("test_device_mismatch")
  void operatorIsRefusedWhenInputsAreOnTwoDevices() {
    devices.map("worker1", IDENTITY);
    refused(
        Status.BAD_ARGUMENT,
        "takes inputs on one device, got [sim:0, sim:1]",
        () -> rpc.sync("worker1", DeviceFunctions::sum, ONES.to(SIM0), ONES.to(SIM1)),
        "move them with to(Device)");
  }

  @Test
  void operatorRunsOnDeviceOfItsInputs() {
    devices.map("worker1", SWAP);
    Function<Tensor> add = Function.operator("add");
    Tensor result = rpc.sync("worker1", add, ONES.to(SIM0), ONES.to(SIM0));
    assertThat(result.device()).isEqualTo(SIM0);
    assertThat(result).isEqualTo(TWOS);
  }

  @Test
  void tensorIsRefusedOnGpu() {
    assertThatThrownBy(() -> ONES.to(Device.gpu(0)))
        .hasMessageContaining("gpu:0 cannot be used")
        .hasMessageContaining("hazelgrad-cuda");
  }

  private static void refused(Status status, String message, ThrowingCallable call, String detail) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.toString()).isEqualTo(status))
        .hasMessageContaining(message)
        .hasMessageContaining(detail);
  }
}
