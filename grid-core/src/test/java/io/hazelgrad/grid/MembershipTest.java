package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.hazelgrad.grid.ProbeExtension.Probe;
import io.hazelgrad.grid.internal.member.Directory;
import io.hazelgrad.grid.internal.member.WorkerIds;
import io.hazelgrad.grid.internal.serve.RequestReceiver;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.spi.GridContext;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** Joining, leaving, dying, and what the others notice. */
class MembershipTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    ProbeExtension.onStart = context -> {};
    grids.close();
  }

  private static GridException failureOf(CompletableFuture<?> call) {
    return catchThrowableOfType(GridException.class, () -> Rpc.await(call));
  }

  private static List<String> threadsOf(String worker) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("hazelgrad-" + worker + "-"))
        .toList();
  }

  @Test
  void lostWorkersAreNoticedAndNamesAndIdsStayDistinct() throws Exception {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    Worker first = bob.worker();
    CompletableFuture<String> running = alice.rpc().async("bob", Calls::block, "dies");
    Signals.named("dies").awaitStarted();

    bob.hazelcast().getLifecycleService().terminate();

    GridException lost = failureOf(running);
    assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(lost).hasMessageContainingAll("worker bob", "Calls::block");
    assertThat(lost.mayHaveRun()).isTrue();
    Eventually.until("alice hears of it", () -> Probe.of(alice).lost.contains(first));
    assertThat(
            catchThrowableOfType(GridException.class, () -> alice.rpc().async("bob", Calls::worker))
                .status())
        .isEqualTo(Status.UNKNOWN_WORKER);
    assertThat(
            catchThrowableOfType(
                    GridException.class, () -> alice.rpc().async(first, Function.of(Calls::worker)))
                .status())
        .isEqualTo(Status.WORKER_LOST);
    assertThat(alice.workers()).containsExactly(alice.worker());
    Eventually.until("bob's threads are gone", () -> threadsOf("bob").isEmpty());
    assertThat(bob.isClosed()).isTrue();
    Signals.named("dies").release();

    Grid next = grids.join("bob");
    assertThat(next.worker().id()).as("a backup may have been behind").isNotEqualTo(first.id());
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(Probe.of(alice).lost).containsExactly(first);
    assertThat(
            catchThrowableOfType(
                    GridException.class, () -> alice.rpc().async(first, Function.of(Calls::worker)))
                .status())
        .isEqualTo(Status.WORKER_LOST);
  }

  @Test
  void nameBelongsToOneLivingWorker() {
    Grid alice = grids.join("alice");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> grids.join("alice"))
        .withMessageContaining("\"alice\" is not unique")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.NAME_TAKEN));
    Eventually.until(
        "the refused member is gone",
        () -> alice.hazelcast().getCluster().getMembers().size() == 1);
    long id = alice.worker().id();
    alice.close();
    assertThat(grids.join("alice").worker().id()).as("id in a new cluster").isNotEqualTo(id);
  }

  @Test
  void closeEndsCallsReleasesThreadsAndFreesName() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    Worker closedBob = bob.worker();
    CompletableFuture<String> outstanding =
        bob.rpc().within(Duration.ZERO).async("alice", Calls::block, "closing");
    Signals.named("closing").awaitStarted();
    List<Throwable> heard = new ArrayList<>();
    CompletableFuture<Void> callback =
        outstanding.handle(
            (value, failure) -> {
              heard.add(failure);
              heard.add(catchThrowable(() -> bob.rpc().sync("alice", Calls::worker)));
              return null;
            });

    bob.close();

    GridException closed = failureOf(outstanding);
    assertThat(closed.status()).isEqualTo(Status.CLOSED);
    assertThat(closed.mayHaveRun()).isTrue();
    callback.join();
    assertThat(heard)
        .allSatisfy(e -> assertThat(((GridException) e).status()).isEqualTo(Status.CLOSED));
    assertThat(bob.outstandingCalls()).isZero();
    assertThat(threadsOf("bob")).isEmpty();
    assertThat(Probe.of(bob).events).contains("closed");
    assertThat(bob.hazelcast().getLifecycleService().isRunning()).isFalse();
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> bob.rpc().async("alice", Calls::worker),
            () -> bob.rpc().async(closedBob, Function.of(Calls::worker)),
            () -> bob.worker("alice"),
            bob::workers)) {
      assertThat(catchThrowableOfType(GridException.class, use).status()).isEqualTo(Status.CLOSED);
    }
    bob.close();
    Signals.named("closing").release();

    Grid again = grids.join("bob");
    assertThat(again.worker().id()).isGreaterThan(closedBob.id());
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(again.rpc().sync("alice", Calls::worker)).isEqualTo("alice");
  }

  @Test
  void callbackMayCloseGrid() {
    Grid alice = grids.join("alice");
    alice.rpc().async("alice", Calls::worker).thenAccept(name -> alice.close()).join();
    assertThat(alice.isClosed()).isTrue();
    Eventually.until("its threads are gone", () -> threadsOf("alice").isEmpty());
  }

  @Test
  void workerIsLostWhenItClosesDuringCall() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    CompletableFuture<String> running = alice.rpc().async("bob", Calls::block, "leaves");
    Signals.named("leaves").awaitStarted();
    bob.close();
    GridException lost = failureOf(running);
    assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(lost).hasMessageContaining("worker bob");
    Signals.named("leaves").release();
  }

  @Test
  void resultIsSentWhenItsWorkerCloses() {
    Grid alice = grids.join(HazelgradConfig.named("alice").values(Calls.Slow.class));
    Grid bob = grids.join(HazelgradConfig.named("bob").values(Calls.Slow.class));
    CompletableFuture<String> running = alice.rpc().async("bob", Calls::block, "interrupted");
    Signals.named("interrupted").awaitStarted();
    CompletableFuture<Calls.Slow> written = alice.rpc().async("bob", Calls::slow, "written");
    Signals.named("written").awaitStarted();

    CompletableFuture<Void> closing = CompletableFuture.runAsync(bob::close);
    assertThat(failureOf(running).status()).isEqualTo(Status.WORKER_LOST); // It has come so far.
    assertThat(closing).isNotDone();
    Signals.named("written").release();

    assertThat(Rpc.await(written)).isEqualTo(new Calls.Slow("written"));
    closing.join();
  }

  @Test
  void memberOfApplicationBecomesWorkerAndStops() throws Exception {
    Config config = grids.config();
    HazelgradConfig.named("embedded").build().prepare(config);
    HazelcastInstance instance = grids.start(config);
    Grid alice = grids.join("alice");
    instance.getMap("mine").put("key", "value");

    Grid grid = grids.on(instance);
    assertThat(alice.rpc().sync("embedded", Calls::worker)).isEqualTo("embedded");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> Grid.on(instance))
        .withMessageContaining("is a worker already")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
    Worker first = grid.worker();

    grid.close();
    assertThat(instance.getMap("mine").get("key")).isEqualTo("value");
    Eventually.until("alice hears of it", () -> Probe.of(alice).lost.contains(first));
    assertThat(
            catchThrowableOfType(
                    GridException.class, () -> alice.rpc().async("embedded", Calls::worker))
                .status())
        .isEqualTo(Status.UNKNOWN_WORKER);
    GridException left = failureOf(alice.rpc().async(first, Function.of(Calls::worker)));
    assertThat(left.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(left.mayHaveRun()).isFalse();

    Grid second = grids.on(instance);
    assertThat(second.worker().incarnation()).isEqualTo(first.incarnation());
    assertThat(second.worker().id()).isGreaterThan(first.id());
    assertThat(alice.rpc().sync("embedded", Calls::worker)).isEqualTo("embedded");
    assertThat(failureOf(alice.rpc().async(first, Function.of(Calls::worker))))
        .hasMessageContaining("its member is now worker embedded");

    instance.shutdown(); // Without closing the grid first.
    assertThat(second.isClosed()).isTrue();
    Eventually.until("its threads ended", () -> threadsOf("embedded").isEmpty());
  }

  @Test
  void entriesAreRestoredAndIdsStayUniqueWhenLost() {
    Duration soon = Duration.ofMillis(100);
    Grid alice = grids.join(HazelgradConfig.named("alice").reconcileEvery(soon));
    Grid bob = grids.join(HazelgradConfig.named("bob").reconcileEvery(soon));
    Set<Long> ids = new HashSet<>(List.of(alice.worker().id(), bob.worker().id()));

    // As when a member dies before others have the backups: nobody hears of such a loss.
    alice.hazelcast().getMap(Directory.WORKERS).evictAll();
    alice.hazelcast().getMap(WorkerIds.MAP).evictAll();

    Grid carol = grids.join("carol");
    assertThat(ids.add(carol.worker().id())).as("the id of %s", carol.worker()).isTrue();
    assertThat(carol.worker().id()).isGreaterThan(bob.worker().id());
    Eventually.until(
        "all are listed",
        () ->
            carol.workers().stream()
                .map(Worker::id)
                .toList()
                .equals(ids.stream().sorted().toList()));
    assertThat(carol.rpc().sync("bob", Calls::worker)).isEqualTo("bob");

    Worker left = bob.worker();
    bob.close();
    Eventually.until("bob is not listed", () -> !alice.workers().contains(left));
  }

  @Test
  void idsStayUniqueWhenCounterWasBehind() {
    Grid alice = grids.join("alice");
    IMap<String, Long> ids = alice.hazelcast().getMap(WorkerIds.MAP);
    Map<String, Long> before = ids.getAll(ids.keySet());
    Grid bob = grids.join("bob");

    // As when a backup that has not heard of bob takes the place of the primary.
    before.forEach(ids::set);

    assertThat(grids.join("carol").worker().id())
        .isNotEqualTo(bob.worker().id())
        .isGreaterThan(alice.worker().id());
  }

  @Test
  void memberIsRefusedAndNamedWhenNotPrepared() {
    Config config = grids.config();
    config.getJetConfig().setEnabled(true);
    HazelcastInstance bare = grids.start(config);
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> Grid.on(bare))
        .withMessageContainingAll(
            "without",
            "the user context entry",
            "the serializer factory 7001",
            "the filter for Java serialization",
            "prepare(config) before it starts")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
    String address = bare.getCluster().getLocalMember().getAddress().toString();
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> grids.join("alice"))
        .withMessageContainingAll("every data member needs Hazelgrad", address);
    HazelcastInstance withoutJet = grids.start(grids.config());
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> Grid.on(withoutJet))
        .withMessageContaining("Jet, enabled");
  }

  @Test
  void memberAndClientOfAnotherProtocolVersionAreRefusedWithBothVersions() {
    Config config = grids.config();
    HazelgradConfig.named("other").build().prepare(config);
    config.getMemberAttributeConfig().setAttribute("hazelgrad.version", "0.x");
    HazelcastInstance other = grids.start(config);
    Address address = other.getCluster().getLocalMember().getAddress();
    ClientConfig remote = new ClientConfig().setClusterName(config.getClusterName());
    remote.getNetworkConfig().addAddress(address.getHost() + ":" + address.getPort());
    HazelcastInstance client = HazelcastClient.newHazelcastClient(ClientConnection.prepare(remote));
    try {
      List<ThrowingCallable> attempts =
          List.of(
              () -> grids.join("alice"),
              () -> ClientConnection.over(client, remote, HazelgradConfig.named("client").build()));
      assertThat(attempts)
          .allSatisfy(
              attempt ->
                  assertThatExceptionOfType(GridException.class)
                      .isThrownBy(attempt)
                      .withMessageContainingAll(
                          address.toString(), "version 0.x", "here has version 1")
                      .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG)));
    } finally {
      client.shutdown();
    }
  }

  @Test
  void joinFailsWithReasonWhenMemberCannotStart() {
    Config config = grids.config();
    config.getNetworkConfig().getInterfaces().clear().addInterface("203.0.113.7");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> Grid.join(HazelgradConfig.named("w").hazelcast(config).build()))
        .withMessageContaining("did not start")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_CONFIG));
  }

  private static long served(GridContext worker) {
    return Objects.requireNonNull(worker.figures().get("agent.server_active_calls"));
  }

  @Test
  void callsWaitUntilJoiningWorkerIsComplete() {
    Grid alice = grids.join("alice");
    List<CompletableFuture<String>> early = new ArrayList<>();
    List<Object> own = new ArrayList<>();
    ProbeExtension.onStart =
        context -> { // bob is in the directory, but not all of its extensions have been started
          early.add(alice.rpc().async("bob", Calls::worker));
          Eventually.until("it has come", () -> served(context) == 1);
          early.add(
              alice.rpc().within(Duration.ofSeconds(1)).async("bob", Calls::block, "too early"));
          early.add(
              ProbeExtension.Probe.of(alice)
                  .context
                  .call(context.self(), "probe.late", List.of("served"), Duration.ofSeconds(20)));
          own.add(
              context
                  .call(context.self(), "probe.echo", List.of("me"), Duration.ofSeconds(20))
                  .join());
          assertThat(failureOf(early.get(1)).status()).isEqualTo(Status.TIMEOUT);
          long others = early.get(2).isDone() ? 1 : 2;
          Eventually.until("bob has given it up, too", () -> served(context) <= others);
          assertThat(early.get(0)).isNotDone();
        };
    grids.join("bob");
    assertThat(early.get(0).join()).isEqualTo("bob");
    assertThat(early.get(2).join()).isEqualTo("served");
    assertThat(own).containsExactly("me");
    assertThat(Signals.named("too early").started).hasValue(0);
  }

  @Test
  void joinLeavesNothingWhenExtensionFails() {
    Grid alice = grids.join("alice");
    ProbeExtension.onStart =
        context -> {
          throw new IllegalStateException("no start today");
        };
    assertThat(catchThrowable(() -> grids.join("bob"))).hasMessage("no start today");
    ProbeExtension.onStart = context -> {};
    assertThat(alice.workers()).containsExactly(alice.worker());
    assertThat(threadsOf("bob")).isEmpty();
    grids.join("bob");
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
  }

  @Test
  void javaSerializationIsRefusedForUnknownPackages() throws Exception {
    Grid alice = grids.join("alice");
    Serializable stranger = new AssertionFailedError("of the package org.opentest4j");
    alice.hazelcast().getMap("mine").put("key", stranger);
    assertThat(catchThrowable(() -> alice.hazelcast().getMap("mine").get("key")))
        .hasStackTraceContaining("is not allowed");
  }

  @Test
  void requestIsRefusedWhenForAnotherIncarnationOrDamaged() throws Exception {
    Grid alice = grids.join("alice");
    Worker self = alice.worker();
    Worker earlier = new Worker("alice", 999, self.incarnation());
    Function<String> worker = Function.of(Calls::worker);
    byte[] none = {};
    byte[] good = {0};
    byte[] damaged = {5, 9, 2};
    long noDeadline = Long.MAX_VALUE;
    assertThat(
            answer(
                alice,
                new Request(new CallId(9, 1), self, earlier, worker, noDeadline, none, good)))
        .isEqualTo(Status.WORKER_LOST);
    assertThat(
            answer(
                alice,
                new Request(new CallId(9, 2), self, self, worker, noDeadline, none, damaged)))
        .isEqualTo(Status.BAD_VALUE);
    assertThat(
            answer(
                alice,
                new Request(new CallId(9, 3), self, self, worker, noDeadline, damaged, good)))
        .isEqualTo(Status.BAD_VALUE);
    assertThat(answer(alice, new Request(new CallId(9, 4), self, self, worker, -1, none, good)))
        .isEqualTo(Status.TIMEOUT);
  }

  private static Status answer(Grid grid, Request request) throws Exception {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    RequestReceiver.deliver(grid.hazelcast(), request, reply::complete);
    return reply.get(20, TimeUnit.SECONDS).failure().status();
  }

  @Test
  void oneMemberOfEachNameJoinsWhenManyJoinConcurrently() throws Exception {
    List<CompletableFuture<Grid>> joins = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      HazelgradConfig config =
          HazelgradConfig.named("same").hazelcast(grids.configAtOnce()).build();
      joins.add(CompletableFuture.supplyAsync(() -> Grid.join(config)));
    }
    List<Grid> winners = new ArrayList<>();
    try {
      for (CompletableFuture<Grid> join : joins) {
        try {
          // Members that start at once may take Hazelcast a minute to agree on a busy machine.
          winners.add(join.get(240, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
          assertThat(((GridException) e.getCause()).status()).isEqualTo(Status.NAME_TAKEN);
        }
      }
      assertThat(winners).hasSize(1);
    } finally {
      winners.forEach(Grid::close);
    }
  }
}
