package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failing.assertFails;
import static io.hazelgrad.tests.rref.Workers.add;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.kill;
import static io.hazelgrad.tests.rref.Workers.leave;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of objects that outlive their owner, in one JVM. */
@ExtendWith(Workers.class)
class DurableTest {
  @AfterEach
  void nothingStaysStored() {
    Await.until(
        "nothing is stored",
        Workers.DEADLINE,
        () -> grid("a").hazelcast().getMap("hazelgrad.values").isEmpty());
  }

  /** Until its end is noticed, a call to the worker may still run as far as the caller knows. */
  private static void killAndAwait(String name) {
    kill(name);
    Await.until(
        name + " is gone",
        Workers.DEADLINE,
        () ->
            Stream.of("a", "b", "c")
                .flatMap(seer -> grid(seer).workers().stream())
                .noneMatch(worker -> worker.name().equals(name)));
  }

  @Test
  void objectContinuesFromStoredState() {
    add("dora");
    try (RRef<Tally> tally = rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::new)) {
      assertThat(tally.isDurable()).isTrue();
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(1);
      tally.checkpoint();
      assertThat(tally.sync(Tally::add, 10)).isEqualTo(11);
      killAndAwait("dora");
      assertThat(tally.sync(Tally::get)).as("as of the checkpoint").isEqualTo(1);
      assertThat(tally.owner().name()).isIn("a", "b", "c");
      assertThat(tally.toHere().get()).isEqualTo(1);
      assertThat(tally.type()).isEqualTo(Tally.class.getName());
      assertThat(tally.sync(Tally::add, 2)).isEqualTo(3);
      try (RRef<Tally> copy = tally.remote(Tally::copy)) {
        assertThat(copy.isDurable()).isFalse();
        assertThat(copy.sync(Tally::get)).isEqualTo(3);
      }
      assertThat(grid("a").rpc().sync("c", Tally::addThrough, tally, 3)).isEqualTo(6);
    }
    awaitNothingLeft();
  }

  @Test
  void objectIsStoredAtCreation() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::of, 7)) {
      tally.creation().join();
      killAndAwait("dora");
      assertThat(tally.sync(Tally::get)).isEqualTo(7);
    }
  }

  @Test
  void objectIsStoredBeforeReply() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.EVERY_REPLY).remote("dora", Tally::new)) {
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(1);
      assertFails(() -> tally.sync(Tally::addAndFail, 2), Status.USER_ERROR, "failed at 3");
      assertThat(grid("a").rpc().sync("dora", Tally::addLocally, tally, 4)).isEqualTo(7);
      tally.remote(Tally::add, 8).close();
      Await.until("it is counted", Workers.DEADLINE, () -> tally.sync(Tally::get) == 15);
      killAndAwait("dora");
      assertThat(tally.sync(Tally::get)).isEqualTo(15);
    }
  }

  @Test
  void callFailsAndReferenceStaysUsableWhenOwnerIsLost() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.EVERY_REPLY).remote("dora", Tally::new)) {
      tally.creation().join(); // A call may start before the creator knows that the object is stored.
      CompletableFuture<Integer> call = tally.async(Tally::slowAdd, "under way");
      Signal.named("under way").awaitReached();
      kill("dora");
      assertThat(assertFails(call, Status.WORKER_LOST, "dora").mayHaveRun()).isTrue();
      assertThat(tally.sync(Tally::get)).as("it may have been stored").isBetween(0, 1);
      Signal.named("under way").release();
    }
  }

  @Test
  void receivedHandleFindsNextOwner() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::of, 1)) {
      tally.creation().join();
      assertThat(grid("a").rpc().sync("b", Tally::keep, tally)).isEqualTo("b");
      killAndAwait("dora");
      assertThat(grid("a").rpc().sync("b", Tally::addThroughKept, 1)).isEqualTo(2);
    }
    Await.until("it has an owner", Workers.DEADLINE, () -> rrefs("a").liveCount() == 1);
    assertThat(Tally.letGo()).isEqualTo(1);
    awaitNothingLeft();
  }

  @Test
  void localObjectIsDurableWhenShared() {
    Grid dora = add("dora");
    RRef<Tally> unshared = RRefs.on(dora).durable(Durability.EVERY_REPLY).local(Tally.of(1));
    assertThat(unshared.localValue().add(1)).isEqualTo(2);
    try (RRef<Tally> tally = grid("a").rpc().sync("dora", Tally::make, Durability.EVERY_REPLY, 4)) {
      assertThat(tally.isDurable()).isTrue();
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(5);
      killAndAwait("dora");
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(6);
    }
  }

  @Test
  void nextOwnerUsesObjectItself() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::of, 1)) {
      tally.creation().join();
      killAndAwait("dora");
      assertThat(tally.sync(Tally::get)).isEqualTo(1);
      String owner = tally.owner().name();
      assertThat(grid("a").rpc().sync(owner, Tally::addLocally, tally, 1)).isEqualTo(2);
      assertThat(tally.sync(Tally::get)).isEqualTo(2);
      assertThat(rrefs(owner).objectCount()).isEqualTo(1);
    }
  }

  @Test
  void objectContinuesWhenOwnerLeaves() {
    Grid dora = add("dora");
    try (RRef<Tally> tally = rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::new);
        RRef<Tally> other = rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::new)) {
      assertThat(tally.sync(Tally::add, 5)).isEqualTo(5);
      CompletableFuture<Integer> call = other.async(Tally::slowAdd, "leaving");
      Signal.named("leaving").awaitReached();
      CompletableFuture<Void> left = CompletableFuture.runAsync(dora::close);
      Await.until(
          "the first one has another owner",
          Workers.DEADLINE,
          () -> tally.sync(Tally::get) == 5 && !tally.owner().name().equals("dora"));
      Signal.named("leaving").release();
      assertThat(call.join()).isEqualTo(1);
      left.join();
      leave("dora");
      Await.until(
          "dora is gone",
          Workers.DEADLINE,
          () -> grid("a").workers().stream().noneMatch(w -> w.name().equals("dora")));
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(6);
      assertThat(other.sync(Tally::add, 1)).isEqualTo(2);
    }
    awaitNothingLeft();
  }

  @Test
  void creationFailsWhenValueCannotBeStored() {
    try (RRef<Box> box = rrefs("a").durable(Durability.ON_REQUEST).remote("b", Box::new, 1);
        RRef<Integer> inside = rrefs("a").local(1);
        RRef<List<RRef<?>>> holder =
            rrefs("a").durable(Durability.ON_REQUEST).remote("b", Box.link(), inside)) {
      assertFails(box::toHere, Status.BAD_VALUE, "Box");
      assertFails(holder::toHere, Status.BAD_VALUE, "RRef cannot be kept");
      assertFails(
          () -> rrefs("a").durable(Durability.ON_REQUEST).local(new Box(1)),
          Status.BAD_VALUE,
          "Box");
    }
    awaitObjects("b", 0);
  }

  @Test
  void checkpointIsRefusedWhenObjectIsNotDurable() {
    try (RRef<Tally> tally = rrefs("a").remote("b", Tally::new)) {
      assertThat(tally.isDurable()).isFalse();
      assertFails(tally::checkpoint, Status.BAD_ARGUMENT, "not durable");
    }
  }

  @Test
  void durableObjectsAreInExplorerAndFigures() {
    try (RRef<Tally> tally = rrefs("a").durable(Durability.ON_REQUEST).remote("b", Tally::new);
        RRef<Tally> other = rrefs("a").remote("b", Tally::new)) {
      tally.creation().join();
      other.creation().join();
      assertThat(rrefs("a").find(RRefFilter.all()))
          .extracting(HeldRRef::durable)
          .containsExactlyInAnyOrder(true, false);
      Map<String, Long> figures = Metrics.of(grid("b")).figures();
      assertThat(figures).containsEntry("rref.num_durable", 1L).containsKey("rref.adopted");
    }
  }

  @Test
  void entryAndValueAreRestoredWhenLost() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::of, 3)) {
      assertThat(tally.sync(Tally::add, 1)).isEqualTo(4);
      grid("c").hazelcast().getMap("hazelgrad.rrefs").delete(tally.id());
      grid("c").hazelcast().getMap("hazelgrad.values").delete(tally.id());
      Await.until(
          "the value is there again, and the entry, with the fork of the holder",
          Workers.DEADLINE,
          () -> {
            Object entry = grid("c").hazelcast().getMap("hazelgrad.rrefs").get(tally.id());
            return grid("c").hazelcast().getMap("hazelgrad.values").size() == 1
                && String.valueOf(entry).startsWith("READY")
                && String.valueOf(entry).contains("of " + grid("a").worker().id());
          });
      killAndAwait("dora");
      assertThat(tally.sync(Tally::get)).isEqualTo(4);
    }
  }

  @Test
  void objectIsLostIfNothingIsStored() {
    add("dora");
    try (RRef<Tally> tally =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", Tally::of, 3)) {
      tally.creation().join();
      grid("c").hazelcast().getMap("hazelgrad.values").delete(tally.id());
      killAndAwait("dora");
      assertFails(() -> tally.sync(Tally::get), Status.RREF_LOST, "dora");
    }
  }

  @Test
  void valueIsRemovedWhenLeftOver() {
    RRef<Tally> tally = rrefs("a").durable(Durability.ON_REQUEST).remote("b", Tally::of, 3);
    tally.creation().join();
    Object stored = grid("c").hazelcast().getMap("hazelgrad.values").get(tally.id());
    tally.close();
    awaitNothingLeft();
    grid("c").hazelcast().getMap("hazelgrad.values").set(tally.id(), stored);
    nothingStaysStored();
  }
}
