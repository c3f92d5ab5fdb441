package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.driver;
import static io.hazelgrad.tests.rref.Workers.registry;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of references that are different for a client: it holds objects and owns none. */
abstract class ClientReferenceSuite {
  @Test
  void localObjectIsRefusedOnClient() {
    assertFails(
        () -> rrefs().local(1), Status.RREF_NOT_OWNER, driver().name(), "cannot own objects");
    assertThat(rrefs().handleCount()).isZero();
  }

  @Test
  void creationOnClientIsRefused() {
    assertFails(
        () -> rrefs().remote(driver().name(), Box::new, 1),
        Status.UNKNOWN_WORKER,
        "a client, which cannot be called");
    assertFails(
        () -> rrefs().remote(driver().self(), Function.of(Box::new), 1),
        Status.UNKNOWN_WORKER,
        "a client, which cannot be called");
    assertThat(rrefs().handleCount()).isZero();
  }

  @Test
  @PeerTest(
      value = {
        "test_shutdown_followed_by_rpc",
        "test_ignore_rref_leak",
        "test_use_rref_after_shutdown"
      },
      client = true)
  void handlesAreReleasedAndFailWhenClientCloses() {
    GridClient other = Workers.client("closing");
    RRefs rrefs = other.rrefs();
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      boxes.add(rrefs.remote(i % 2 == 0 ? "b" : "c", Box::new, i));
    }
    for (RRef<Box> box : boxes) {
      box.creation().join();
    }
    awaitObjects("b", 50);
    assertThat(other.service(Metrics.class).figures())
        .containsEntry("rref.num_forks", 100L)
        .containsEntry("rref.num_owner_rrefs", 0L);
    other.close();
    awaitNothingLeft();
    RRef<Box> box = boxes.get(0);
    assertFails(box::toHere, Status.RREF_CLOSED, box.id() + "", "client closing", "left the grid");
    assertFails(() -> rrefs.remote("b", Box::new, 1), Status.CLOSED);
    box.close();
  }

  /** The registry knows that the client holds the object, and the client does not. */
  @Test
  void referenceIsReleasedWhenReplyIsLost() {
    driver().faults().on("call.function").first(1).dropReply();
    try {
      assertFails(
          () -> driver().rpc().within(Duration.ofMillis(500)).sync("b", Box::own, 5),
          Status.TIMEOUT);
      assertThat(driver().faults().injected()).containsEntry("call.function", 1L);
      awaitNothingLeft();
    } finally {
      driver().faults().clear();
    }
  }

  /** Commands reach the registry through another worker when one does not answer. */
  @Test
  void commandsAreRepeatedWhenLost() {
    driver().faults().on("rref.release").first(2).dropReply();
    driver().faults().on("call.service:rref.command").first(3).fail();
    try {
      for (int i = 0; i < 5; i++) {
        try (RRef<Box> box = rrefs().remote("b", Box::new, i)) {
          assertThat(box.sync(Box::get)).isEqualTo(i);
        }
      }
      awaitNothingLeft();
    } finally {
      driver().faults().clear();
    }
  }

  @Test
  @PeerTest("thin_client_as_creator")
  @PeerTest(value = "test_rref_context_debug_info", client = true)
  void clientIsListedAsHolder() {
    try (GridClient other = Workers.client("other");
        RRef<Box> box = other.rrefs().remote("b", Box::new, 1);
        RRef<Box> own = rrefs().remote("c", Box::new, 1)) {
      box.creation().join();
      own.creation().join();
      for (RRefs asked : List.of(Workers.rrefs("a"), rrefs())) {
        List<HeldRRef> found = asked.find(RRefFilter.all().heldBy("other"));
        assertThat(found).hasSize(1);
        assertThat(found.get(0).owner()).isEqualTo("b");
        assertThat(found.get(0).state()).isEqualTo("READY");
        assertThat(found.get(0).type()).isEqualTo(Box.class.getName());
        assertThat(found.get(0).ageMillis()).isEqualTo(-1);
        assertThat(asked.find(RRefFilter.all())).hasSize(2);
        assertThat(asked.find(RRefFilter.all().ownedBy("c")))
            .extracting(HeldRRef::holder)
            .containsExactly(driver().name());
      }
      assertThat(rrefs().find(RRefFilter.all().heldBy(driver().name())).get(0).madeAt())
          .contains("ClientReferenceSuite.java");
    }
  }

  /** Simulates that the members with the entries died together. */
  @Test
  @Tag("slow")
  void entriesOfClientAreRestoredWhenLost() {
    Box.CLOSED.set(0);
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    RRef<Box> nobodys = rrefs().remote("b", Box::new, 1);
    box.creation().join();
    nobodys.creation().join();
    for (RRef<Box> ref : List.of(box, nobodys)) {
      registry().delete(ref.id());
    }
    nobodys.close();
    Await.until(
        "the client is the only holder, and of one",
        Workers.DEADLINE,
        () -> holdersOf(box).equals("[" + driver().self().id() + "]"));
    awaitObjects("b", 1);
    assertThat(Box.CLOSED).hasValue(1);
    assertThat(box.sync(Box::get)).isEqualTo(1);
    box.close();
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(2);
  }

  /** Returns the holders of an RRef in the registry, such as {@code [fork 5-2 of 5]}. */
  private static String holdersOf(RRef<?> ref) {
    String entry = String.valueOf(registry().get(ref.id()));
    int start = entry.indexOf("forks=");
    return start < 0
        ? entry
        : entry.substring(start + 6, entry.indexOf(']') + 1).replaceAll("fork [0-9.-]+ of ", "");
  }

  @Test
  @PeerTest(value = "rolling_restart", client = true)
  @Tag("slow")
  void referencesOfClientOutliveTwoMembersThatDieInTurn() {
    List<RRef<Box>> boxes = new ArrayList<>();
    Workers.add("dora");
    Workers.add("emil");
    for (int i = 0; i < 60; i++) {
      boxes.add(rrefs().remote(List.of("a", "b", "c").get(i % 3), Box::new, i));
    }
    boxes.forEach(box -> box.creation().join());
    for (String dies : List.of("dora", "emil")) {
      Workers.kill(dies);
      for (int i = 0; i < 60; i++) {
        assertThat(boxes.get(i).sync(Box::get)).isEqualTo(i);
      }
    }
    Await.until("all are known", Workers.DEADLINE, () -> Workers.rrefs("a").liveCount() == 60);
    for (int i = 0; i < 60; i++) {
      assertThat(boxes.get(i).sync(Box::get)).isEqualTo(i);
      boxes.get(i).close();
    }
  }

  @Test
  @PeerTest(value = "owner_crash", client = true)
  void useFailsAndNamesOwnerWhenOwnerIsLost() {
    Workers.add("dora");
    RRef<Box> box = rrefs().remote("dora", Box::new, 1);
    RRef<Integer> slow = rrefs().remote("dora", Box::slowNumber, "never made");
    assertThat(box.sync(Box::get)).isEqualTo(1);
    CompletableFuture<Integer> wait = slow.toHereAsync();
    Signal.named("never made").awaitReached();
    Workers.kill("dora");
    assertFails(wait, Status.RREF_LOST, "worker dora");
    assertFails(slow.creation(), Status.RREF_LOST, "worker dora");
    assertFails(box::toHere, Status.RREF_LOST, "worker dora");
    box.close();
    slow.close();
  }

  @Test
  void durableObjectOfClientOutlivesOwner() {
    Workers.add("dora");
    try (RRef<DurableCounter> counter =
        rrefs().durable(Durability.EVERY_REPLY).remote("dora", DurableCounter::new)) {
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      Workers.kill("dora");
      Await.until(
          "another worker goes on with it",
          Workers.DEADLINE,
          () -> {
            try {
              return counter.sync(DurableCounter::get) == 1;
            } catch (GridException e) { // It was sent to the old owner before its end was noticed.
              assertThat(e.status()).as(e.toString()).isEqualTo(Status.WORKER_LOST);
              return false;
            }
          });
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(2);
      assertThat(counter.owner().name()).isIn("a", "b", "c");
    }
  }
}
