package io.hazelgrad.tests.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;

/** Graphs that one JVM deploys and others call. */
@ExtendWith(Leftovers.class)
class GraphsOfJvmsTest {
  private static final String[] WORKERS = {"A", "B", "C"};
  private static final Tensor ONES = Tensor.full(DType.FLOAT32, 1, 2, 3);
  private static final Function<Tensor> SCALE = Function.graph("scale");

  private static JvmCluster cluster;
  private static Graphs graphs;
  private static Rpc rpc;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers(WORKERS).start();
    graphs = Graphs.of(cluster.grid());
    rpc = cluster.grid().rpc();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void nothingIsLoaded() {
    cluster.startMissing();
    cluster.awaitAgreement(WORKERS);
    graphs.list().forEach(info -> graphs.undeploy(info.name()));
    for (String worker : WORKERS) {
      assertThat(rpc.sync(worker, GraphFunctions::loaded)).as("loaded on %s", worker).isEmpty();
    }
  }

  /** Returns the graph x * factor, with a constant of the given size that makes loading slow. */
  private static SameDiff scale(double factor, int ballast) {
    SameDiff sd = SameDiff.create();
    SDVariable x = sd.placeHolder("x", DataType.FLOAT, -1, 3);
    SDVariable zero = sd.constant("zero", Nd4j.zeros(DataType.FLOAT, ballast)).sum();
    x.mul(factor).add("y", zero);
    return sd;
  }

  @Test
  void graphRunsBySyncAsyncAndRemote() {
    graphs.deploy("scale", scale(2, 10), "y");
    Tensor expected = Tensor.full(DType.FLOAT32, 2, 2, 3);
    assertThat(rpc.sync("A", SCALE, ONES)).isEqualTo(expected);
    assertThat(rpc.async("B", SCALE, Map.of("x", ONES)).join()).isEqualTo(expected);
    try (RRef<Tensor> there = cluster.rrefs().remote("C", SCALE, ONES)) {
      assertThat(there.toHere()).isEqualTo(expected);
    }
  }

  @Test
  void graphIsCalledByThreeWorkersWhileReplaced() {
    graphs.deploy("scale", scale(1, 1000), "y");
    List<CompletableFuture<double[]>> running = new ArrayList<>();
    for (int i = 0; i < WORKERS.length; i++) {
      running.add(
          rpc.async(
              WORKERS[i], GraphFunctions::call, WORKERS[(i + 1) % WORKERS.length], "scale", 600));
    }
    for (int version = 2; version <= 5; version++) {
      graphs.replace("scale", scale(version, 1000), "y");
      for (String worker : WORKERS) {
        double[] now = rpc.sync(worker, GraphFunctions::call, worker, "scale", 1);
        assertThat(now).as("on %s", worker).containsExactly(version, version);
      }
    }
    for (CompletableFuture<double[]> one : running) {
      assertThat(one.join()[0]).isGreaterThanOrEqualTo(1);
      assertThat(one.join()[1]).isLessThanOrEqualTo(5);
    }
    for (String worker : WORKERS) {
      assertThat(rpc.sync(worker, GraphFunctions::loaded)).containsOnlyKeys("scale");
    }
  }

  @Test
  @Tag("slow")
  void callsOfLivingWorkersReturnWhenWorkerDiesDuringLoad() {
    graphs.deploy("scale", scale(3, 4 << 20), "y");
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      calls.add(rpc.async(WORKERS[i % WORKERS.length], SCALE, ONES));
    }
    cluster.kill("B");
    for (int i = 0; i < calls.size(); i++) {
      try {
        assertThat(Rpc.await(calls.get(i)).toDoubles()).containsOnly(3);
      } catch (GridException e) {
        assertThat(e.status()).isEqualTo(Status.WORKER_LOST);
        assertThat(WORKERS[i % WORKERS.length]).isEqualTo("B");
      }
    }
    cluster.start("B");
    assertThat(rpc.sync("B", SCALE, ONES).toDoubles()).containsOnly(3);
  }

  @Test
  void graphsAreKnownToWorkerThatJoinsLater() {
    cluster.kill("C");
    cluster.awaitAgreement("A", "B");
    graphs.deploy("scale", scale(1, 10), "y");
    graphs.replace("scale", scale(2, 10), "y");
    cluster.start("C");
    assertThat(rpc.sync("C", GraphFunctions::call, "A", "scale", 2)).containsExactly(2, 2);
    assertThat(rpc.sync("A", GraphFunctions::call, "C", "scale", 2)).containsExactly(2, 2);
  }

  @Test
  @Tag("slow")
  void workersContinueAfterWrongCalls() {
    graphs.deploy("scale", scale(2, 10), "y");
    assertThatThrownBy(() -> rpc.sync("A", SCALE, ONES.to(DType.INT64)))
        .hasMessageContaining("input \"x\" takes FLOAT32, got INT64");
    assertThatThrownBy(() -> rpc.sync("A", Function.graph("other"), ONES))
        .hasMessageContaining("no graph is deployed under the name \"other\"");
    assertThat(rpc.sync("A", SCALE, ONES).toDoubles()).containsOnly(2);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @Tag("slow")
  void graphLeavesNoMemoryBehindAfterTenThousandCalls() {
    graphs.deploy("scale", scale(2, 100_000), "y");
    double[] warm = rpc.sync("A", GraphFunctions::call, "B", "scale", 5_000);
    assertThat(warm).containsExactly(2, 2);
    long before = rpc.sync("B", GraphFunctions::residentKib);
    double[] range = rpc.sync("A", GraphFunctions::call, "B", "scale", 10_000);
    assertThat(range).containsExactly(2, 2);
    long after = rpc.sync("B", GraphFunctions::residentKib);
    // One array left behind per call would exceed this: each call reads constants of 400 KB.
    assertThat(after - before).as("KiB more, of %d", before).isLessThan(150_000);
  }
}
