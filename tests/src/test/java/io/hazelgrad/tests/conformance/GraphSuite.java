package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.graph.Graphs;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;

/** Tests of deployed graphs, which take the place of the peer's compiled functions. */
@RemoteFunctions
class GraphSuite extends PeerSuite {
  private static final String NAME = "plus";
  private static final Function<Tensor> PLUS = Function.graph(NAME);
  private static final Tensor ONES = CallSuite.full(1, 100, 100);
  private static final Tensor TWOS = CallSuite.full(2, 100, 100);

  @BeforeAll
  static void deploy() {
    SameDiff graph = SameDiff.create();
    SDVariable a = graph.placeHolder("a", DataType.FLOAT, -1, -1);
    SDVariable b = graph.placeHolder("b", DataType.FLOAT, -1, -1);
    a.add("sum", b);
    var unused = Graphs.of(FourWorkers.cluster().grid()).deploy(NAME, graph, "sum");
  }

  @AfterAll
  static void undeploy() {
    assertThat(Graphs.of(FourWorkers.cluster().grid()).undeploy(NAME)).isTrue();
  }

  @Test
  @PeerTest("test_torchscript_function")
  void graphRunsOnWorkerThreeWays() {
    if (rank() != 0) {
      return; // One worker is enough: on each worker the native library takes seconds to load.
    }
    for (String to : destinations()) {
      threeWays(to, PLUS, is(TWOS), ONES, ONES);
    }
  }

  /** Wrong arguments are refused by the call itself on a worker, and by the callee of a client. */
  @Test
  @PeerTest("test_torchscript_function_exception")
  void graphIsRefusedWhenArgumentIsMissing() {
    if (rank() == 0) {
      refusedThreeWays(Status.BAD_ARGUMENT, NAME, dst(), PLUS, ONES);
    }
  }

  @Test
  @PeerTest("test_stress_heavy_rpc_torchscript")
  void twentyCallsOfGraphReturn() {
    if (rank() != 0) {
      return;
    }
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(rpc().async(dst(), PLUS, ONES, ONES));
    }
    calls.forEach(call -> assertThat(call.join()).isEqualTo(TWOS));
  }
}
