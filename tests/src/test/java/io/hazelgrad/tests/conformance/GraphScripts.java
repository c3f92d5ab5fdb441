package io.hazelgrad.tests.conformance;

import static io.hazelgrad.tests.conformance.Peer.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.graph.Graphs;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.Leftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;

/** Deployed graphs, which are to us what compiled functions are to the peer. */
@ExtendWith({FourWorkers.class, Leftovers.class})
class GraphScripts {
  private static final String NAME = "plus";
  private static final Function<Tensor> PLUS = Function.graph(NAME);
  private static final Tensor ONES = Calls.full(1, 100, 100);
  private static final Tensor TWOS = Calls.full(2, 100, 100);

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

  private static Rpc rpc() {
    return FourWorkers.cluster().grid().rpc();
  }

  @Test
  void test_torchscript_function() {
    for (String to : List.of("worker1", "worker0")) {
      assertThat(rpc().sync(to, PLUS, ONES, ONES)).isEqualTo(TWOS);
      assertThat(rpc().async(to, PLUS, ONES, ONES).join()).isEqualTo(TWOS);
      try (RRef<Tensor> rref = FourWorkers.cluster().rrefs().remote(to, PLUS, ONES, ONES)) {
        assertThat(rref.toHere()).isEqualTo(TWOS);
      }
    }
  }

  /** What is wrong with the arguments is thrown by the call itself. */
  @Test
  void test_torchscript_function_exception() {
    fails(Status.BAD_ARGUMENT, NAME, () -> rpc().sync("worker1", PLUS, ONES));
    fails(Status.BAD_ARGUMENT, NAME, () -> rpc().async("worker1", PLUS, ONES));
    fails(
        Status.BAD_ARGUMENT,
        NAME,
        () -> FourWorkers.cluster().rrefs().remote("worker1", PLUS, ONES).close());
  }

  @Test
  void test_stress_heavy_rpc_torchscript() {
    List<CompletableFuture<Tensor>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(rpc().async("worker1", PLUS, ONES, ONES));
    }
    calls.forEach(call -> assertThat(call.join()).isEqualTo(TWOS));
  }
}
