package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of clients that hold references and are killed, frozen or cut off. */
@ExtendWith(Leftovers.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClientReferencesTest extends ClientTestBase {
  private static long id(ClientJvm client) throws Exception {
    return Long.parseLong(client.tell("self").split(" ", 2)[0]);
  }

  private static boolean isGone(long client) {
    return ALL.stream().anyMatch(worker -> timesGone(worker, client) > 0);
  }

  private static void awaitFirstGone(long client) {
    Await.until("client " + client + " has gone", SOON, () -> isGone(client));
  }

  private static void awaitObjects(String worker, int count) {
    Await.until(
        SOON,
        () -> {
          int found = cluster.objectsOn(worker);
          return found == count ? "" : worker + " owns " + found + " objects, not " + count;
        });
  }

  /**
   * One client creates them on both workers, in small groups, and calls some. The last story: while
   * the ended entries stay in the registry, each search passes all of them.
   */
  @Test
  @Order(Integer.MAX_VALUE)
  @PeerTest(value = "100000_RRefs_created_and_dropped_under_load", client = true)
  @Tag("slow")
  void hundredThousandReferencesAreCreatedAndReleased() {
    try (GridClient client = connect("busy")) {
      for (int i = 0; i < 400; i++) {
        String owner = i % 2 == 0 ? "A" : "B";
        List<RRef<SharedObject>> made = new ArrayList<>();
        for (int k = 0; k < 250; k++) {
          made.add(client.rrefs().remote(owner, SharedObject::new, "shelf " + k));
        }
        assertThat(made.get(i % 250).sync(SharedObject::label)).isEqualTo("shelf " + i % 250);
        made.forEach(RRef::close); // Many of them before their objects exist.
      }
      awaitObjects("A", 0);
      awaitObjects("B", 0);
      Await.until("nothing is held", SOON, () -> cluster.rrefs().liveCount() == 0);
      assertThat(client.rrefs().handleCount()).isZero();
    }
  }

  @Test
  @PeerTest(
      value = {"user_crash_removes_its_forks", "thin_client_as_creator"},
      client = true)
  void referencesOfKilledClientAreReleasedAfterGrace() throws Exception {
    try (ClientJvm client = client()) {
      long id = id(client);
      assertThat(client.tell("make B 100")).isEqualTo("made");
      assertThat(cluster.objectsOn("B")).isEqualTo(100);
      assertThat(cluster.rrefs().find(RRefFilter.all()))
          .hasSize(100)
          .extracting(HeldRRef::owner)
          .containsOnly("B");
      client.kill();
      Await.until(
          "all objects have gone",
          SOON,
          () -> {
            int left = cluster.objectsOn("B"); // Read this first: a client that is gone stays gone.
            assertThat(left == 100 || isGone(id)).as("%d left of a living client", left).isTrue();
            return left == 0;
          });
      assertThat(cluster.rrefs().liveCount()).isZero();
    }
  }

  @Test
  @PeerTest(value = "parent_crash", client = true)
  void referenceStaysWithReceiverWhenClientIsKilled() throws Exception {
    try (ClientJvm client = client()) {
      long id = id(client);
      client.tell("make A 1");
      assertThat(client.tell("give B inherited")).isEqualTo("shelf 0");
      client.kill();
      awaitFirstGone(id);
      Await.until("only B holds it", SOON, () -> holders().equals(List.of("B")));
      assertThat(cluster.grid().rpc().sync("B", SharedObject::labelOfKept, "inherited"))
          .isEqualTo("shelf 0");
      cluster.grid().rpc().sync("B", Function.action(SharedObject::drop), "inherited");
      awaitObjects("A", 0);
    }
  }

  private static List<String> holders() {
    return cluster.rrefs().find(RRefFilter.all()).stream().map(HeldRRef::holder).toList();
  }

  @Test
  void referenceIsReleasedWhenReplyHasNoReceiver() throws Exception {
    try (ClientJvm client = client()) {
      long id = id(client);
      var unused = client.ask("borrow B untaken");
      awaitRun("B", "untaken");
      client.kill();
      release("B", "untaken"); // Before the client's grace ends, so that the reply is sent.
      awaitObjects("B", 1);
      awaitFirstGone(id);
      awaitObjects("B", 0);
    }
  }

  @Test
  @Tag("slow")
  void handlesFailWhenClientThawsTooLateAndNewOnesWork() throws Exception {
    try (ClientJvm client = client()) {
      long id = id(client);
      client.tell("make B 3");
      assertThat(client.tell("label")).isEqualTo("shelf 2");
      client.signal("STOP");
      awaitFirstGone(id);
      awaitObjects("B", 0);
      client.signal("CONT");
      Await.until(
          "its handles say that it was lost",
          SOON,
          () -> client.ask("label").orTimeout(30, TimeUnit.SECONDS).join().equals("FENCED"));
      Await.until(
          "it makes others",
          SOON,
          () -> client.ask("make A 1").orTimeout(30, TimeUnit.SECONDS).join().equals("made"));
      assertThat(client.tell("label")).isEqualTo("shelf 0");
      assertThat(client.tell("held")).isEqualTo("1");
      assertThat(id(client)).isNotEqualTo(id);
      assertThat(client.tell("close")).isEqualTo("closed");
      awaitObjects("A", 0);
    }
  }

  /**
   * A second client, which is cut off from all members at the same time, shows when the grace ends.
   */
  @Test
  @Tag("slow")
  void clientKeepsReferencesWhenCutFromOneMember() throws Exception {
    try (CuttableClient partly = new CuttableClient(cluster, "partly");
        CuttableClient cut = new CuttableClient(cluster, "cut")) {
      Await.until("both are connected", SOON, partly::isFullyConnected);
      List<RRef<SharedObject>> kept = new ArrayList<>();
      for (String worker : List.of("A", "B", "A", "B")) {
        kept.add(partly.get().rrefs().remote(worker, SharedObject::new, "kept"));
      }
      RRef<SharedObject> lost = cut.get().rrefs().remote("B", SharedObject::new, "lost");
      lost.creation().join();
      long partlyId = partly.get().self().id();
      long cutId = cut.get().self().id();

      partly.cutFrom(cluster.grid().worker("B"));
      cut.cutFromAll();
      kept.remove(1).close(); // Of B, through another member.
      kept.add(partly.get().rrefs().remote("B", SharedObject::new, "new"));
      awaitFirstGone(cutId);
      awaitObjects("B", 2);
      awaitObjects("A", 2);
      partly.heal();
      cut.heal();

      assertThat(kept).extracting(shelf -> shelf.sync(SharedObject::label)).contains("kept", "new");
      assertThat(partly.get().self().id()).isEqualTo(partlyId);
      assertThat(isGone(partlyId)).isFalse();
      kept.forEach(RRef::close);
      Await.until("the other is another", SOON, () -> cut.get().self().id() != cutId);
      assertFenced(() -> lost.sync(SharedObject::label));
      assertFenced(() -> cut.get().rpc().sync("A", SharedObject::keep, "refused", lost));
      lost.close();
    }
  }

  private static void assertFenced(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThat(catchThrowableOfType(GridException.class, use).status()).isEqualTo(Status.FENCED);
  }

  @Test
  void replyIsRepeatedWithItsReferenceWhenConnectionBreaks() throws Exception {
    try (CuttableClient cut = new CuttableClient(cluster, "again")) {
      Await.until("it is connected", SOON, cut::isFullyConnected);
      CompletableFuture<RRef<SharedObject>> call =
          cut.get().rpc().async("B", SharedObject::lend, "lent");
      awaitRun("B", "lent");
      cut.cutFromAll();
      release("B", "lent");
      awaitObjects("B", 1);
      cut.heal();
      try (RRef<SharedObject> lent = call.get(40, TimeUnit.SECONDS)) {
        assertThat(lent.sync(SharedObject::label)).isEqualTo("lent");
      } catch (
          java.util.concurrent.ExecutionException
              e) { // The machine was too slow for a grace of 4 s.
        assertThat(((GridException) e.getCause()).status()).isEqualTo(Status.FENCED);
      }
      awaitObjects("B", 0);
    }
  }

  /** The client has forgotten the call. The registry knows that it holds the reference. */
  @Test
  void replyLeavesNothingWhenItComesAfterDeadline() throws Exception {
    try (CuttableClient cut = new CuttableClient(cluster, "late")) {
      Await.until("it is connected", SOON, cut::isFullyConnected);
      GridClient client = cut.get();
      CompletableFuture<RRef<SharedObject>> call =
          client.rpc().within(Duration.ofSeconds(1)).async("B", SharedObject::lend, "late");
      assertThat(catchThrowableOfType(GridException.class, () -> Rpc.await(call)).status())
          .isEqualTo(Status.TIMEOUT);
      release("B", "late");
      awaitObjects("B", 0);
      assertThat(client.rrefs().handleCount()).isZero();
    }
  }

  /** The client does not know which member keeps which data, and reaches all through one. */
  @Test
  void clientHoldsReferencesToAllWorkersOverOneConnection() {
    try (GridClient client = single(cluster.processes().worker("A").clientEndpoint())) {
      List<RRef<SharedObject>> shelves = new ArrayList<>();
      for (String worker : List.of("A", "B", JvmCluster.DRIVER)) {
        for (int i = 0; i < 10; i++) {
          shelves.add(client.rrefs().remote(worker, SharedObject::new, worker));
        }
      }
      shelves.forEach(
          shelf -> assertThat(shelf.sync(SharedObject::label)).isEqualTo(shelf.owner().name()));
      shelves.forEach(RRef::close);
      awaitObjects("A", 0);
      awaitObjects("B", 0);
      assertThat(client.rrefs().handleCount()).isZero();
    }
  }
}
