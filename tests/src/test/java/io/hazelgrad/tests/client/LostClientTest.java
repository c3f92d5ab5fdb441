package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.cluster.Address;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of clients that are killed, frozen or cut off, and of their calls and ids. */
@ExtendWith(Leftovers.class)
class LostClientTest extends ClientTestBase {
  /** Identity of a client as the workers know it. */
  private record Seen(long id, String incarnation) {
    static Seen of(ClientJvm client) throws Exception {
      String answer = client.ask("self").get(30, TimeUnit.SECONDS);
      int space = answer.indexOf(' ');
      return new Seen(Long.parseLong(answer.substring(0, space)), answer.substring(space + 1));
    }

    int timesGone(String worker) {
      return cluster.grid().rpc().sync(worker, CountedFunctions::timesGone, id);
    }

    void awaitGone(List<String> workers) {
      for (String worker : workers) {
        Await.until(
            worker + " is told that the client has gone", SOON, () -> timesGone(worker) > 0);
      }
    }

    boolean isConnected() {
      return ALL.stream()
          .anyMatch(
              worker ->
                  cluster.grid().rpc().sync(worker, CountedFunctions::hasConnection, incarnation));
    }
  }

  /** The client's function would last a minute. The check after the test finds no call any more. */
  @Test
  void clientIsLostAfterGraceAndItsCallsEndWhenKilled() throws Exception {
    try (ClientJvm client = client()) {
      Seen seen = Seen.of(client);
      for (String worker : List.of("A", "B")) {
        var unused = client.ask("hold " + worker + " killed");
        awaitRun(worker, "killed");
      }
      client.kill();
      seen.awaitGone(ALL);
      Leftovers.check();
      for (String worker : ALL) {
        assertThat(seen.timesGone(worker)).as("how often %s was told", worker).isEqualTo(1);
      }
    }
  }

  /** A plain lite member cannot run the task that asks members for their clients. */
  @Test
  @Tag("slow")
  void clientIsLostWhenLiteMemberHasNoHazelgrad() throws Exception {
    HazelcastInstance running = cluster.grid().hazelcast();
    Address address = running.getCluster().getLocalMember().getAddress();
    Config config = new Config().setClusterName(running.getConfig().getClusterName());
    config
        .setLiteMember(true)
        .getNetworkConfig()
        .getInterfaces()
        .setEnabled(true)
        .addInterface(address.getHost());
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config
        .getNetworkConfig()
        .getJoin()
        .getTcpIpConfig()
        .setEnabled(true)
        .addMember(address.getHost() + ":" + address.getPort());
    config.getProperties().putAll(running.getConfig().getProperties());
    HazelcastInstance lite = Hazelcast.newHazelcastInstance(config);
    try (ClientJvm client = client()) {
      assertThat(lite.getCluster().getMembers())
          .hasSameSizeAs(running.getCluster().getMembers())
          .hasSizeGreaterThan(2);
      Seen seen = Seen.of(client);
      client.kill();
      seen.awaitGone(ALL);
    } finally {
      lite.shutdown();
      Await.until(
          "the lite member has left",
          SOON,
          () -> running.getCluster().getMembers().size() == ALL.size());
    }
  }

  @Test
  @Tag("slow")
  void frozenClientContinuesOnlyWhenItThawsInTime() throws Exception {
    try (ClientJvm client = client();
        ClientJvm late = client()) {
      Seen before = Seen.of(client);
      Seen lost = Seen.of(late);
      CompletableFuture<String> stays = client.ask("hold B thawed");
      CompletableFuture<String> ends = late.ask("hold B frozen");
      awaitRun("B", "thawed");
      awaitRun("B", "frozen");

      client.signal("STOP");
      late.signal("STOP");
      Await.until("no member has its connection", SOON, () -> !before.isConnected());
      client.signal("CONT");
      Await.until("it is back", SOON, before::isConnected);
      lost.awaitGone(ALL);
      late.signal("CONT");

      release("B", "thawed");
      assertThat(stays.get(30, TimeUnit.SECONDS)).isEqualTo("1");
      assertThat(runs("B", "thawed")).isEqualTo(1);
      assertThat(Seen.of(client)).isEqualTo(before);
      assertThat(before.timesGone("A")).isZero();

      assertThat(ends.get(30, TimeUnit.SECONDS)).isEqualTo(Status.FENCED.name());
      Await.until(
          "it goes on as another",
          SOON,
          () -> late.ask("runs B frozen").orTimeout(30, TimeUnit.SECONDS).join().equals("1"));
      assertThat(Seen.of(late).id()).isNotEqualTo(lost.id());
    }
  }

  @Test
  @Tag("slow")
  void clientIsLostOnlyWhenCutFromAllMembers() throws Exception {
    try (CuttableClient cut = new CuttableClient(cluster, "cut");
        CuttableClient partly = new CuttableClient(cluster, "partly");
        CuttableProxy one = proxy("A");
        CuttableProxy other = proxy("B");
        GridClient moving = single(one, other)) {
      Await.until("all are connected", SOON, partly::isFullyConnected);
      Seen lost = seen(cut.get());
      Seen partlyBefore = seen(partly.get());
      Seen movingBefore = seen(moving);
      Rpc stale = cut.get().rpc();
      CompletableFuture<Integer> ends = stale.async("B", CountedFunctions::hold, "cut");
      CompletableFuture<Integer> stays =
          partly.get().rpc().async("B", CountedFunctions::hold, "partly");
      CompletableFuture<Integer> moves = moving.rpc().async("B", CountedFunctions::hold, "moving");
      for (String entry : List.of("cut", "partly", "moving")) {
        awaitRun("B", entry);
      }

      cut.cutFromAll();
      partly.cutFrom(cluster.grid().worker("B"));
      (one.isUsed() ? one : other).block();
      lost.awaitGone(ALL);
      assertThat(
              cluster
                  .grid()
                  .rpc()
                  .sync("B", CountedFunctions::hasConnection, partlyBefore.incarnation()))
          .isFalse();
      cut.heal();

      assertThat(statusOf(ends)).isEqualTo(Status.FENCED);
      Await.until("it goes on as another", SOON, () -> cut.get().self().id() != lost.id());
      assertThat(cut.get().rpc().sync("B", CountedFunctions::add, 1, 2)).isEqualTo(3);
      assertThat(
              catchThrowableOfType(
                      GridException.class, () -> stale.sync("B", CountedFunctions::add, 1, 2))
                  .status())
          .isEqualTo(Status.FENCED);

      release("B", "partly");
      release("B", "moving");
      assertThat(stays.get(30, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(moves.get(30, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(seen(partly.get())).isEqualTo(partlyBefore);
      assertThat(seen(moving)).isEqualTo(movingBefore);
      assertThat(partlyBefore.timesGone("A") + movingBefore.timesGone("A")).isZero();
    }
  }

  private static Seen seen(GridClient client) {
    return new Seen(client.self().id(), client.self().incarnation().toString());
  }

  @Test
  @PeerTest(value = "test_local_shutdown", client = true)
  void clientIsRemovedAtOnceWhenItCloses() throws Exception {
    GridClient client = single(cluster.processes().worker("A").clientEndpoint());
    Seen seen = seen(client);
    client.close();
    seen.awaitGone(ALL);
    assertThat(seen.timesGone("A")).isEqualTo(1);
  }

  /** The next member decides, with a grace that starts again. */
  @Test
  @Tag("slow")
  void nextMemberDecidesLossWhenDecidingMemberDies() throws Exception {
    try (ClientJvm client = client()) {
      Seen seen = Seen.of(client);
      client.kill();
      cluster.kill("A");
      seen.awaitGone(List.of("B", JvmCluster.DRIVER));
      assertThat(seen.timesGone("B")).isEqualTo(1);
    } finally {
      cluster.startMissing();
    }
  }

  private static Status statusOf(CompletableFuture<?> call) {
    return catchThrowableOfType(GridException.class, () -> Rpc.await(call)).status();
  }
}
