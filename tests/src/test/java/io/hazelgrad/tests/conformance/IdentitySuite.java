package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of the identities of workers and of calls to them. */
@RemoteFunctions
class IdentitySuite extends PeerSuite {
  private static final BlockingQueue<String> RECEIVED = new ArrayBlockingQueue<>(1);

  @Test
  @PeerTest("test_worker_id")
  void workerIsFoundByItsName() {
    assertThat(self()).isEqualTo(isClient() ? FourWorkers.CLIENT : "worker" + rank());
    assertThat(driver().worker(dst()).name()).isEqualTo(dst());
    fails(Status.UNKNOWN_WORKER, "\"nobody\"", () -> driver().worker("nobody"));
  }

  @Test
  @PeerTest("test_get_worker_infos")
  void workersHaveNamesAndDistinctIds() {
    assertThat(driver().workers())
        .extracting(Worker::name)
        .containsExactlyInAnyOrder("worker0", "worker1", "worker2", "worker3");
    assertThat(driver().workers()).extracting(Worker::id).doesNotHaveDuplicates();
  }

  @Test
  @PeerTest("test_self_add")
  @WorkersOnly
  void operatorRunsOnCaller() {
    Tensor ones = Tensor.of(new double[] {1, 1}, 2);
    Function<Tensor> add = Function.operator("add");
    assertThat(rpc().sync(self(), add, ones, ones)).isEqualTo(Tensor.of(new double[] {2, 2}, 2));
    assertThat(rpc().async(self(), add, ones, ones).join())
        .isEqualTo(Tensor.of(new double[] {2, 2}, 2));
  }

  /** The id that the grid assigns takes the place of the peer's rank. */
  @Test
  @PeerTest("test_send_to_rank")
  void callReachesNamedWorkerAndFailsForUnknownName() {
    Function<Integer> max = Function.named(Math.class, "max", int.class, int.class);
    threeWays(dst(), max, is(3), 2, 3);
    threeWays(driver().worker(dst()).callee(), max, is(3), 2, 3);
    failsThreeWays(Status.UNKNOWN_WORKER, "\"#-1\"", "#-1", max, 2, 3);
    failsThreeWays(Status.UNKNOWN_WORKER, "\"worker4\"", "worker" + FourWorkers.COUNT, max, 2, 3);
    failsThreeWays(Status.UNKNOWN_WORKER, "\"worker-1\"", "worker-1", max, 2, 3);
  }

  @Test
  @PeerTest("test_int_callee")
  void callReachesWorkerFoundById() {
    long id = driver().worker(dst()).id();
    assertThat(rpc().<String>sync(driver().access().worker(id), Function.of(PeerSuite::self)))
        .isEqualTo(dst());
    assertThat(rpc().<String>sync("#" + id, PeerSuite::self)).isEqualTo(dst());
    fails(Status.UNKNOWN_WORKER, "\"#-1\"", () -> driver().access().worker(-1));
  }

  @Test
  @PeerTest("test_add_with_id")
  void callReachesWorkerAndFailsForForgedIdentity() {
    Function<Tensor> add = Function.operator("add");
    Tensor one = Tensor.scalar(1);
    assertThat(rpc().sync(driver().worker(dst()), add, one, one)).isEqualTo(Tensor.scalar(2));
    Worker forged = new Worker(dst(), Long.MAX_VALUE, UUID.randomUUID());
    fails(Status.WORKER_LOST, dst(), () -> rpc().sync(forged, add, one, one));
  }

  @Test
  @PeerTest("test_worker_info_pickle")
  void workerTravelsAsArgumentAndResult() {
    Worker me = driver().self();
    threeWays(dst(), Function.of(IdentitySuite::same), is(me), me);
  }

  static Worker same(Worker worker) {
    return worker;
  }

  @Test
  @PeerTest("test_expected_src")
  void calleeReceivesNameOfCaller() {
    assertThat(rpc().sync(dst(), IdentitySuite::receive, self())).isTrue();
    assertThat(rpc().sync(dst(), IdentitySuite::received)).isEqualTo(self());
  }

  static String received() throws InterruptedException {
    return RECEIVED.poll(20, TimeUnit.SECONDS);
  }

  static boolean receive(String sender) {
    return RECEIVED.offer(sender);
  }
}
