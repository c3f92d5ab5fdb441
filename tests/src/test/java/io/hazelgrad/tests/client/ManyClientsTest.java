package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests with many clients at once, some of them slow. */
@ExtendWith(Leftovers.class)
class ManyClientsTest extends ClientTestBase {
  private static final int CLIENTS = 50;
  private static final int REPLIES = 64;
  private static final int REPLY_BYTES = 256 * 1024;

  /** Connects a client with few threads: this JVM has all of them. */
  private static GridClient small(int number) {
    ClientConfig config = config(cluster.processes().worker("A").clientEndpoint());
    config.setProperty("hazelcast.client.io.input.thread.count", "1");
    config.setProperty("hazelcast.client.io.output.thread.count", "1");
    config.setProperty("hazelcast.client.event.thread.count", "1");
    config.setProperty("hazelcast.client.response.thread.count", "1");
    return GridClient.connect(config, HazelgradConfig.named("many-" + number).build());
  }

  private static int entered() {
    return cluster.grid().hazelcast().getMap("hazelgrad.clients").size();
  }

  private static Set<String> clientThreads() {
    Set<String> names = new HashSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("hz.client_")
          || thread.getName().startsWith("hazelgrad-many-")) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  @Test
  @PeerTest(value = "thin_client_as_creator", client = true)
  @Tag("slow")
  void fiftyClientsCallAndHoldAndLeaveNothing() {
    List<GridClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(small(i));
      }
      assertThat(entered()).isEqualTo(CLIENTS);
      assertThat(clients).extracting(client -> client.self().id()).doesNotHaveDuplicates();
      List<CompletableFuture<Integer>> sums = new ArrayList<>();
      List<RRef<SharedObject>> shelves = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        for (GridClient client : clients) {
          sums.add(
              client
                  .rpc()
                  .async(round % 2 == 0 ? "A" : "B", CountedFunctions::add, sums.size(), 1));
        }
      }
      for (GridClient client : clients) {
        String label = client.self().name();
        shelves.add(client.rrefs().remote("A", SharedObject::new, label));
        shelves.add(client.rrefs().remote("B", SharedObject::new, label));
      }
      for (int i = 0; i < sums.size(); i++) {
        assertThat(sums.get(i).join()).isEqualTo(i + 1);
      }
      for (int i = 0; i < shelves.size(); i++) {
        assertThat(shelves.get(i).sync(SharedObject::label)).isEqualTo("many-" + i / 2);
      }
      shelves.forEach(shelf -> shelf.creation().join()); // Now the registry knows them all.
      assertThat(cluster.objectsOn("A")).isEqualTo(CLIENTS);
      assertThat(cluster.rrefs().liveCount()).isEqualTo(2 * CLIENTS);
    } finally {
      clients.forEach(GridClient::close); // Together with the references that they still hold.
    }
    Await.until(
        SOON,
        () -> {
          int objects = cluster.objectsOn("A") + cluster.objectsOn("B");
          String left = entered() + " clients, " + objects + " objects, " + clientThreads();
          return left.equals("0 clients, 0 objects, []") ? "" : left;
        });
    assertThat(cluster.rrefs().liveCount()).isZero();
  }

  @Test
  void clientConnectsRepeatedlyWithOneConfiguration() {
    ClientConfig config = config("127.0.0.1:1"); // No server listens there.
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(0);
    GridException none =
        catchThrowableOfType(GridException.class, () -> GridClient.connect(config));
    assertThat(none).hasMessageContaining("did not connect");
    assertThat(none.status()).isEqualTo(Status.BAD_CONFIG);
    config
        .getNetworkConfig()
        .setAddresses(List.of(cluster.processes().worker("A").clientEndpoint()));
    try (GridClient one = GridClient.connect(config);
        GridClient other = GridClient.connect(config)) {
      assertThat(one.rpc().sync("B", CountedFunctions::add, 1, 2)).isEqualTo(3);
      assertThat(other.rpc().sync("B", CountedFunctions::add, 3, 4)).isEqualTo(7);
    }
  }

  /** The replies of the slow client wait at the member, which serves all others. */
  @Test
  void otherClientsContinueWhenOneReadsNoReplies() throws Exception {
    try (CuttableProxy way = proxy("A");
        GridClient slow = single(way);
        GridClient quick = connect("quick");
        RRef<SharedObject> shelf = quick.rrefs().remote("A", SharedObject::new, "quick")) {
      way.stall();
      List<CompletableFuture<byte[]>> replies = new ArrayList<>();
      for (int i = 0; i < REPLIES; i++) {
        replies.add(slow.rpc().async("A", CountedFunctions::bytes, "slow", REPLY_BYTES));
      }
      Await.until("all have run", SOON, () -> runs("A", "slow") == REPLIES);
      for (int i = 0; i < 200; i++) {
        assertThat(quick.rpc().within(Duration.ofSeconds(5)).sync("A", CountedFunctions::add, i, 1))
            .isEqualTo(i + 1);
        assertThat(shelf.sync(SharedObject::label)).isEqualTo("quick");
      }
      byte[] large = quick.rpc().sync("A", CountedFunctions::bytes, "quick", REPLY_BYTES);
      assertThat(large).hasSize(REPLY_BYTES);
      assertThat(cluster.grid().rpc().sync("A", CountedFunctions::add, 1, 1)).isEqualTo(2);
      assertThat(replies).noneMatch(CompletableFuture::isDone);

      way.flow();
      for (CompletableFuture<byte[]> reply : replies) {
        assertThat(reply.get(40, TimeUnit.SECONDS)).hasSize(REPLY_BYTES);
      }
      assertThat(runs("A", "slow")).isEqualTo(REPLIES);
    }
  }

  /** Callbacks run on threads of their own. */
  @Test
  void otherCallsContinueDuringSlowCallbacks() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(16);
    List<CompletableFuture<Boolean>> slow = new ArrayList<>();
    try (GridClient client = connect("callbacks")) {
      for (int i = 0; i < 16; i++) {
        slow.add(
            client
                .rpc()
                .async("A", CountedFunctions::add, i, 1)
                .thenApplyAsync( // Otherwise it may run on this thread, if the reply is there
                    // already.
                    sum -> {
                      blocked.countDown();
                      return awaited(goOn);
                    }));
      }
      assertThat(blocked.await(30, TimeUnit.SECONDS)).as("all callbacks wait").isTrue();
      for (int i = 0; i < 100; i++) {
        assertThat(client.rpc().sync("A", CountedFunctions::add, i, 1)).isEqualTo(i + 1);
        assertThat(client.rpc().async("B", CountedFunctions::add, i, 1).get(20, TimeUnit.SECONDS))
            .isEqualTo(i + 1);
      }
      goOn.countDown();
      for (CompletableFuture<Boolean> one : slow) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      goOn.countDown();
    }
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
