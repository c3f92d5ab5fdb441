package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.SingleMemberRouting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of calls of a thin client to workers in JVMs of their own. */
@ExtendWith(Leftovers.class)
class ClientCallsTest {
  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static ClientConfig config(String... endpoints) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster.grid().hazelcast().getConfig().getClusterName());
    config.getNetworkConfig().addAddress(endpoints);
    config.setProperty("hazelcast.logging.type", "slf4j");
    return config;
  }

  private static GridClient client() {
    return GridClient.connect(config(cluster.processes().worker("A").clientEndpoint()));
  }

  /** Connects a client with one connection, so that calls to other members are forwarded. */
  private static GridClient single(String endpoint) {
    ClientConfig config = config(endpoint);
    SingleMemberRouting.set(config);
    return GridClient.connect(config, HazelgradConfig.named("single").build());
  }

  private static Status statusOf(CompletableFuture<?> call) {
    return catchThrowableOfType(GridException.class, () -> Rpc.await(call)).status();
  }

  @Test
  void clientCallsFunctionsOperatorsAndAsyncFunctions() {
    try (GridClient client = client()) {
      assertThat(client.workers()).extracting(Worker::name).contains("A", "B");
      for (String to : List.of("A", "B")) {
        assertThat(client.rpc().sync(to, CountedFunctions::add, 1, 2)).isEqualTo(3);
        assertThat(client.rpc().sync(to, CountedFunctions::worker)).isEqualTo(to);
        Tensor one = Tensor.of(new float[] {1, 2}, 2);
        assertThat(client.rpc().<Tensor>sync(to, Function.operator("neg"), one))
            .isEqualTo(Tensor.of(new float[] {-1, -2}, 2));
        CompletableFuture<String> later =
            client.rpc().async(to, Function.async(CountedFunctions::later), "later on " + to);
        client
            .rpc()
            .sync(to, Function.action(CountedFunctions::release), "later on " + to + " inner");
        assertThat(later.join()).isEqualTo("later on " + to + " 1");
      }
      assertThat(client.outstandingCalls()).isZero();
    }
  }

  @Test
  void operatorIsCheckedBeforeAnythingIsSent() {
    try (GridClient client = client()) {
      Tensor one = Tensor.of(new float[] {1, 2}, 2);
      GridException few =
          catchThrowableOfType(
              GridException.class, () -> client.rpc().async("B", Function.operator("add"), one));
      assertThat(few.status()).isEqualTo(Status.BAD_ARGUMENT);
      assertThat(few).hasMessageContaining("add");
      assertThat(
              catchThrowableOfType(
                      GridException.class,
                      () -> client.rpc().async("B", Function.operator("nothing"), one))
                  .status())
          .isEqualTo(Status.UNKNOWN_FUNCTION);
      assertThat(
              catchThrowableOfType(
                      GridException.class,
                      () -> client.rrefs().remote("B", Function.operator("neg"), "text"))
                  .status())
          .isEqualTo(Status.BAD_ARGUMENT);
    }
  }

  @Test
  void concurrentCallsAllEnd() {
    try (GridClient client = client()) {
      List<CompletableFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        calls.add(client.rpc().async(i % 2 == 0 ? "A" : "B", CountedFunctions::add, i, 1));
      }
      for (int i = 0; i < calls.size(); i++) {
        assertThat(calls.get(i).join()).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void failuresMatchThoseOfWorkers() {
    try (GridClient client = client()) {
      GridException failed =
          catchThrowableOfType(
              GridException.class, () -> client.rpc().sync("B", CountedFunctions::fails));
      assertThat(failed.status()).isEqualTo(Status.USER_ERROR);
      assertThat(failed).hasRootCauseMessage("no entry today");
      assertThat(failed.remote().worker()).isEqualTo("B");
      assertThat(
              catchThrowableOfType(
                      GridException.class,
                      () -> client.rpc().sync("nobody", CountedFunctions::worker))
                  .status())
          .isEqualTo(Status.UNKNOWN_WORKER);
      assertThat(
              statusOf(
                  client
                      .rpc()
                      .within(Duration.ofMillis(200))
                      .async("B", CountedFunctions::hold, "late")))
          .isEqualTo(Status.TIMEOUT);
      client.rpc().sync("B", Function.action(CountedFunctions::release), "late");
    }
  }

  @Test
  void cancellationReachesCallee() throws Exception {
    try (GridClient client = client()) {
      CompletableFuture<Integer> call =
          client.rpc().async("B", CountedFunctions::hold, "cancelled");
      Await.until(
          "it runs",
          Duration.ofSeconds(30),
          () -> client.rpc().sync("B", CountedFunctions::runs, "cancelled") == 1);
      assertThat(Rpc.cancel(call).get(20, TimeUnit.SECONDS)).isEqualTo(Cancellation.INTERRUPTED);
    }
  }

  @Test
  void clientReachesEveryWorkerOverOneConnection() {
    try (GridClient client = single(cluster.processes().worker("A").clientEndpoint())) {
      assertThat(client.rpc().sync("A", CountedFunctions::worker)).isEqualTo("A");
      assertThat(client.rpc().sync("B", CountedFunctions::worker)).isEqualTo("B");
      CompletableFuture<String> later =
          client.rpc().async("B", Function.async(CountedFunctions::later), "passed on");
      client.rpc().sync("B", Function.action(CountedFunctions::release), "passed on inner");
      assertThat(later.join()).isEqualTo("passed on 1");
    }
  }

  @Test
  void callIsSentAgainAndRunsOnceWhenConnectionBreaks() throws Exception {
    for (String to : List.of("A", "B")) { // B is reached through A.
      String entry = "cut on the way to " + to;
      try (CuttableProxy proxy =
              new CuttableProxy(cluster.processes().worker("A").clientEndpoint());
          GridClient client = single(proxy.endpoint())) {
        CompletableFuture<Integer> call = client.rpc().async(to, CountedFunctions::hold, entry);
        Await.until("it runs", Duration.ofSeconds(30), () -> runs(to, entry) == 1);
        proxy.cut();
        // On the new connection; the first request is repeated there sooner or later.
        assertThat(client.rpc().sync(to, CountedFunctions::worker)).isEqualTo(to);
        proxy.cut();
        assertThat(client.rpc().sync(to, CountedFunctions::add, 1, 1)).isEqualTo(2);
        cluster.grid().rpc().sync(to, Function.action(CountedFunctions::release), entry);
        assertThat(call.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(runs(to, entry)).isEqualTo(1);
      }
    }
  }

  private static int runs(String worker, String entry) {
    return cluster.grid().rpc().sync(worker, CountedFunctions::runs, entry);
  }

  @Test
  void callsRunOnceAndEndWhileConnectionBreaksRepeatedly() throws Exception {
    try (CuttableProxy proxy = new CuttableProxy(cluster.processes().worker("A").clientEndpoint());
        GridClient client = single(proxy.endpoint())) {
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        calls.add(client.rpc().async("B", CountedFunctions::count, "storm " + i));
        if (i % 100 == 50) {
          proxy.cut();
        }
      }
      for (int i = 0; i < calls.size(); i++) {
        assertThat(calls.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("storm " + i + " 1");
      }
    }
  }

  @Test
  @PeerTest(value = "test_local_shutdown_with_rpc", client = true)
  void outstandingCallsEndWhenClientCloses() {
    GridClient client = client();
    CompletableFuture<Integer> call = client.rpc().async("B", CountedFunctions::hold, "closed");
    client.close();
    assertThat(statusOf(call)).isEqualTo(Status.CLOSED);
    assertThat(
            catchThrowableOfType(
                    GridException.class, () -> client.rpc().sync("B", CountedFunctions::worker))
                .status())
        .isEqualTo(Status.CLOSED);
    cluster.grid().rpc().sync("B", Function.action(CountedFunctions::release), "closed");
  }

  @Test
  void callEndsWhenCalleeDies() {
    cluster.start("C");
    try (GridClient client = client()) {
      assertEndsWhenItDies(client);
    }
  }

  /** The forwarding member learns of the death; the client does not. */
  @Test
  void forwardedCallEndsWhenCalleeDies() {
    cluster.start("C");
    try (GridClient client = single(cluster.processes().worker("A").clientEndpoint())) {
      assertEndsWhenItDies(client);
    }
  }

  private static void assertEndsWhenItDies(GridClient client) {
    CompletableFuture<Integer> call = client.rpc().async("C", CountedFunctions::hold, "dies");
    Await.until(
        "it runs",
        Duration.ofSeconds(30),
        () -> client.rpc().sync("C", CountedFunctions::runs, "dies") == 1);
    cluster.kill("C");
    GridException lost = catchThrowableOfType(GridException.class, () -> Rpc.await(call));
    assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(lost)
        .hasMessageContaining("worker C ")
        .hasMessageContaining("CountedFunctions::hold");
    assertThat(lost.mayHaveRun()).isTrue();
  }
}
