package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.map.IMap;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.Leftovers;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of a client that cannot connect, and of one whose connection breaks during calls or while
 * it holds references.
 */
@ExtendWith(Leftovers.class)
class ClientReconnectTest extends ClientTestBase {
  private static final int CALLS = 64;
  private static final Function<Integer> HOLD = Function.async(CountedFunctions::holdOne);

  private static String worker(int number) {
    return number % 2 == 0 ? "A" : "B";
  }

  /** Starts calls to both workers, and waits until all run. */
  private static List<CompletableFuture<Integer>> outstanding(GridClient client, String group) {
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      calls.add(client.rpc().async(worker(i), HOLD, group, i));
    }
    for (String worker : List.of("A", "B")) {
      Await.until("the calls to " + worker + " run", SOON, () -> runs(worker, group) == CALLS / 2);
    }
    assertThat(client.outstandingCalls()).isEqualTo(CALLS);
    return calls;
  }

  private static void release(String group) {
    for (String worker : List.of("A", "B")) {
      cluster.grid().rpc().sync(worker, Function.action(CountedFunctions::releaseAll), group);
    }
  }

  private static void assertEachRanOnce(String group) {
    for (int i = 0; i < CALLS; i++) {
      assertThat(runs(worker(i), group + " " + i)).as("runs of call %d", i).isEqualTo(1);
    }
  }

  @Test
  void outstandingCallsRunOnceAndReturnAfterCut() throws Exception {
    try (CuttableProxy way = proxy("A");
        GridClient client = single(way)) {
      List<CompletableFuture<Integer>> calls = outstanding(client, "cut");
      for (int i = 0; i < 3; i++) {
        way.cut();
        assertThat(client.rpc().sync(worker(i), CountedFunctions::add, i, 1)).isEqualTo(i + 1);
      }
      release("cut");
      for (CompletableFuture<Integer> call : calls) {
        assertThat(call.get(40, TimeUnit.SECONDS)).isEqualTo(1);
      }
      assertEachRanOnce("cut");
      assertThat(client.outstandingCalls()).isZero();
    }
  }

  /** The leaving member cannot tell the result of the call; the next one can. */
  @Test
  @Tag("slow")
  void forwardedCallContinuesWhenItsMemberLeaves() throws Exception {
    AtomicReference<String> next = new AtomicReference<>(endpoint("A"));
    try (CuttableProxy way = new CuttableProxy(next::get);
        GridClient client = single(way)) {
      CompletableFuture<Integer> call =
          client.rpc().async("B", CountedFunctions::hold, "passed on");
      awaitRun("B", "passed on");
      next.set(endpoint("B"));
      cluster.stop("A");
      assertThat(client.rpc().sync("B", CountedFunctions::add, 1, 2)).isEqualTo(3);
      assertThat(call).isNotDone();
      release("B", "passed on");
      assertThat(call.get(40, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(runs("B", "passed on")).isEqualTo(1);
    } finally {
      cluster.startMissing();
    }
  }

  private static String endpoint(String worker) {
    return cluster.processes().worker(worker).clientEndpoint();
  }

  /**
   * A client that is cut off for longer than its grace becomes another client. Each call fails with
   * that reason.
   */
  @Test
  @Tag("slow")
  void outstandingCallsFailAndRunOnceWhenClientIsLost() throws Exception {
    try (CuttableProxy way = proxy("A");
        GridClient client = single(way)) {
      List<CompletableFuture<Integer>> calls = outstanding(client, "lost");
      long before = client.self().id();
      way.block();
      awaitGone(before);
      way.heal();
      for (CompletableFuture<Integer> call : calls) {
        GridException failure = catchThrowableOfType(GridException.class, () -> awaitSoon(call));
        assertThat(failure.status()).isEqualTo(Status.FENCED);
        assertThat(failure).hasMessageContaining("was lost to the grid");
        assertThat(failure.mayHaveRun()).isTrue();
      }
      release("lost");
      assertEachRanOnce("lost");
      Await.until("it is another", SOON, () -> client.self().id() != before);
      assertThat(client.rpc().sync("B", CountedFunctions::add, 1, 2)).isEqualTo(3);
    }
  }

  private static void awaitSoon(CompletableFuture<?> call) {
    var unused = Rpc.await(call.orTimeout(40, TimeUnit.SECONDS));
  }

  /** Starts a client with a deadline of half a second; returns the message of its TIMEOUT. */
  private static String lateStart(String endpoint) {
    String name = "late-start"; // In the names of all its threads.
    ClientConfig config = config(endpoint).setInstanceName(name);
    HazelgradConfig late = HazelgradConfig.named(name).build();
    Duration deadline = Duration.ofMillis(500);
    GridException failure =
        catchThrowableOfType(GridException.class, () -> GridClient.connect(config, late, deadline));
    assertThat(failure.status()).isEqualTo(Status.TIMEOUT);
    Await.until(
        "no thread of the start is left",
        SOON,
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().contains(name)));
    return String.valueOf(failure.getMessage());
  }

  @Test
  void startEndsAtItsDeadlineWhereNoClusterIs() throws Exception {
    String endpoint;
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      endpoint = "127.0.0.1:" + unused.getLocalPort();
    }
    assertThat(lateStart(endpoint))
        .startsWith("client late-start did not connect to cluster " + clusterName())
        .contains("at [" + endpoint + "] within 0.5 s");
  }

  @Test
  void startEndsAtItsDeadlineWhereMemberDoesNotAnswer() throws Exception {
    try (CuttableProxy way = proxy("A")) {
      way.stall();
      assertThat(lateStart(way.endpoint())).contains(way.endpoint());
    }
  }

  @Test
  void startEndsAtItsDeadlineWhereItCannotEnterTheGrid() {
    IMap<String, Long> ids = cluster.grid().hazelcast().getMap("hazelgrad.ids");
    ids.lock("worker");
    try {
      assertThat(lateStart(endpoint("A"))).contains(endpoint("A"));
    } finally {
      ids.unlock("worker");
    }
  }

  @Test
  void startWithoutTimeIsRefused() {
    GridException failure =
        catchThrowableOfType(
            GridException.class,
            () ->
                GridClient.connect(
                    config(endpoint("A")), HazelgradConfig.named("c").build(), Duration.ZERO));
    assertThat(failure.status()).isEqualTo(Status.BAD_ARGUMENT);
    assertThat(failure).hasMessageContaining("deadline=PT0S");
  }

  @Test
  void startEndsWhenItsThreadIsInterrupted() {
    ClientConfig config = config("127.0.0.1:1");
    Thread.currentThread().interrupt();
    GridException failure =
        catchThrowableOfType(GridException.class, () -> GridClient.connect(config));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure.status()).isEqualTo(Status.CANCELLED);
  }

  /**
   * A second client, which is cut off from all members at the same time, shows when the grace ends.
   */
  @Test
  void clientKeepsReferencesWhenItReconnectsToAnotherMember() throws Exception {
    try (CuttableProxy one = proxy("A");
        CuttableProxy other = proxy("B");
        CuttableProxy clock = proxy("A");
        GridClient client = single(one, other);
        GridClient lost = single(clock)) {
      List<RRef<SharedObject>> held = new ArrayList<>();
      for (String worker : ALL) {
        held.add(client.rrefs().remote(worker, SharedObject::new, "on " + worker));
      }
      held.forEach(shelf -> shelf.creation().join());
      Worker before = client.self();
      long lostId = lost.self().id();
      CuttableProxy left = one.isUsed() ? one : other;
      CuttableProxy next = left == one ? other : one;
      assertThat(next.isUsed()).isFalse();

      left.block();
      clock.block();
      for (RRef<SharedObject> shelf : held) {
        assertThat(shelf.sync(SharedObject::label)).isEqualTo("on " + shelf.owner().name());
      }
      assertThat(next.isUsed()).isTrue();
      awaitGone(lostId);
      clock.heal();

      assertThat(client.self()).isEqualTo(before);
      assertThat(ALL).allMatch(worker -> timesGone(worker, before.id()) == 0);
      assertThat(cluster.objectsOn("A") + cluster.objectsOn("B")).isEqualTo(2);
      assertThat(client.rpc().sync("B", SharedObject::keep, "moved", held.get(0)))
          .isEqualTo("on A");
      client.rpc().sync("B", Function.action(SharedObject::drop), "moved");
      held.forEach(RRef::close);
      Await.until("it holds nothing", SOON, () -> client.rrefs().handleCount() == 0);
    }
  }
}
