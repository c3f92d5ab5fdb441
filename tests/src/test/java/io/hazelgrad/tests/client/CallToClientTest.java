package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.Groups;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that a call to a client is refused with the reason, for every caller and kind of call. */
@ExtendWith(Leftovers.class)
class CallToClientTest extends ClientTestBase {
  private static final Function<String> WORKER = Function.of(CountedFunctions::worker);

  private GridClient client;

  @BeforeEach
  void connectClient() {
    client = connect("caller");
    for (String worker : ALL) { // The workers hear of the client a moment later.
      Await.until(worker + " knows the client", SOON, () -> knows(worker));
    }
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  private boolean knows(String worker) {
    return statusAndText(() -> from(worker)).contains("which cannot be called");
  }

  /** Makes a worker call the client by its name. */
  private static Object from(String worker) {
    return worker.equals(JvmCluster.DRIVER)
        ? cluster.grid().rpc().sync("caller", WORKER)
        : cluster.grid().rpc().sync(worker, CountedFunctions::workerNamed, "caller");
  }

  private static String statusAndText(ThrowingCallable call) {
    GridException failure = catchThrowableOfType(GridException.class, call);
    return failure == null ? "no failure" : failure.toString();
  }

  /** The failure of a function is the failure of the call that it made. */
  private static void assertRefused(ThrowingCallable call) {
    GridException failure = catchThrowableOfType(GridException.class, call);
    assertThat(failure).isNotNull();
    assertThat(failure).hasMessageContaining("\"caller\" is a client, which cannot be called");
    assertThat(failure.status()).isEqualTo(Status.UNKNOWN_WORKER);
  }

  private static void assertRefusedEveryWay(Rpc rpc, RRefs rrefs, Worker self) {
    assertRefused(() -> rpc.sync("caller", WORKER));
    assertRefused(() -> rpc.async("caller", WORKER));
    assertRefused(() -> rrefs.remote("caller", WORKER).close());
    assertRefused(() -> rpc.sync(self, WORKER));
    assertRefused(() -> rpc.async(self, WORKER));
    assertRefused(() -> rrefs.remote(self, WORKER).close());
    assertThat(rrefs.handleCount()).isZero();
  }

  @Test
  void callOfClientToItselfIsRefused() {
    assertRefusedEveryWay(client.rpc(), client.rrefs(), client.self());
  }

  @Test
  void callOfAnotherClientIsRefused() {
    try (GridClient other = connect("other")) {
      assertRefusedEveryWay(other.rpc(), other.rrefs(), client.self());
    }
  }

  @Test
  void callOfWorkerToClientIsRefused() {
    Grid grid = cluster.grid();
    assertRefusedEveryWay(grid.rpc(), RRefs.on(grid), client.self());
  }

  /** A function that a client calls cannot call that client back. */
  @Test
  void callOfCalledFunctionToClientIsRefused() {
    for (String worker : ALL) {
      GridException named =
          catchThrowableOfType(
              GridException.class,
              () -> client.rpc().sync(worker, CountedFunctions::workerNamed, client.self().name()));
      assertThat(named).hasMessageContaining("\"caller\" is a client, which cannot be called");
      GridException given =
          catchThrowableOfType(
              GridException.class,
              () -> client.rpc().sync(worker, CountedFunctions::workerAt, client.self()));
      assertThat(given).hasMessageContaining("\"caller\" is a client, which cannot be called");
    }
  }

  @Test
  void clientIsNotListedAndOwnsNothing() {
    assertThat(client.workers()).extracting(Worker::name).doesNotContain("caller");
    assertRefused(() -> client.worker("caller"));
    GridException local =
        catchThrowableOfType(GridException.class, () -> client.rrefs().local("mine"));
    assertThat(local.status()).isEqualTo(Status.RREF_NOT_OWNER);
    assertThat(local).hasMessageContaining("client caller cannot own objects");
  }

  /** Groups consist of workers, so a client cannot be in one. */
  @Test
  void groupIsRefusedWithClient() {
    GridException none =
        catchThrowableOfType(GridException.class, () -> client.service(Groups.class));
    assertThat(none.status()).isEqualTo(Status.BAD_CONFIG);
    assertThat(none).hasMessageContaining("to clients");
  }

  /** A worker that is gone and an unknown name are no clients. */
  @Test
  void unknownNameIsNotTakenForClient() {
    for (Rpc rpc : List.of(client.rpc(), cluster.grid().rpc())) {
      assertThat(statusAndText(() -> rpc.sync("nobody", WORKER)))
          .contains("could not find destination \"nobody\"")
          .doesNotContain("client");
    }
  }
}
