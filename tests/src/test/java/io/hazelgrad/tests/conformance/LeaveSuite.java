package io.hazelgrad.tests.conformance;

import static io.hazelgrad.tests.conformance.PeerSuite.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of a worker that leaves the four, and of its grid afterwards. */
@ExtendWith({FourWorkers.class, Leftovers.class})
class LeaveSuite {
  private static Grid join() {
    return Grid.join(FourWorkers.cluster().processes().joiner("leaver").build());
  }

  @Test
  @PeerTest("test_local_shutdown")
  void workerLeavesWhenGridCloses() {
    Grid grid = join();
    grid.close();
    assertThat(grid.isClosed()).isTrue();
    FourWorkers.cluster().awaitWorkers("worker1", "worker2", "worker3");
  }

  @Test
  @PeerTest("test_local_shutdown_with_rpc")
  void outstandingCallsFailWhenGridCloses() {
    Grid grid = join();
    assertThat(grid.rpc().sync("worker1", PeerSuite::self)).isEqualTo("worker1");
    CompletableFuture<Integer> open = grid.rpc().async("worker1", Latches::await, "leaver", 1);
    CompletableFuture<Integer> toIt =
        FourWorkers.cluster().grid().rpc().async("leaver", Latches::await, "to the leaver", 1);
    assertThat(FourWorkers.cluster().grid().rpc().sync("leaver", PeerSuite::self))
        .isEqualTo("leaver");
    grid.close();
    fails(Status.CLOSED, "leaver", () -> Rpc.await(open));
    fails(Status.WORKER_LOST, "leaver", () -> Rpc.await(toIt));
    Function<Integer> release = Function.of(Latches::release);
    assertThat(FourWorkers.cluster().grid().rpc().sync("worker1", release, "leaver")).isZero();
    assertThat(Latches.release("to the leaver")).isZero();
  }

  @Test
  @PeerTest("test_shutdown_followed_by_rpc")
  void callsAndReferencesFailAfterGridClosed() {
    Grid grid = join();
    RRef<String> rref = RRefs.on(grid).remote("worker1", PeerSuite::self);
    assertThat(rref.toHere()).isEqualTo("worker1");
    grid.close();
    Function<String> self = Function.of(PeerSuite::self);
    fails(Status.CLOSED, "has left", () -> grid.rpc().sync("worker1", self));
    fails(Status.CLOSED, "has left", () -> grid.rpc().async("worker1", self));
    fails(Status.CLOSED, "has left", () -> RRefs.on(grid).remote("worker1", self).close());
    fails(Status.RREF_CLOSED, "has left", rref::toHere);
  }
}
