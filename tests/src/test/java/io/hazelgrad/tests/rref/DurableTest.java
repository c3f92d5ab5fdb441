package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.add;
import static io.hazelgrad.tests.rref.Workers.awaitEntry;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.kill;
import static io.hazelgrad.tests.rref.Workers.leave;
import static io.hazelgrad.tests.rref.Workers.registry;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.fault.FaultRule;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.DurableRRefs;
import io.hazelgrad.rref.HeldRRef;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefFilter;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import java.time.Duration;
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
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::new)) {
      assertThat(counter.isDurable()).isTrue();
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      counter.checkpoint();
      assertThat(counter.sync(DurableCounter::add, 10)).isEqualTo(11);
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).as("as of the checkpoint").isEqualTo(1);
      assertThat(counter.owner().name()).isIn("a", "b", "c");
      assertThat(counter.toHere().get()).isEqualTo(1);
      assertThat(counter.type()).isEqualTo(DurableCounter.class.getName());
      assertThat(counter.sync(DurableCounter::add, 2)).isEqualTo(3);
      try (RRef<DurableCounter> copy = counter.remote(DurableCounter::copy)) {
        assertThat(copy.isDurable()).isFalse();
        assertThat(copy.sync(DurableCounter::get)).isEqualTo(3);
      }
      assertThat(grid("a").rpc().sync("c", DurableCounter::addThrough, counter, 3)).isEqualTo(6);
    }
    awaitNothingLeft();
  }

  @Test
  void objectIsStoredAtCreation() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::of, 7)) {
      counter.creation().join();
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(7);
    }
  }

  @Test
  void objectIsStoredBeforeReply() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.EVERY_REPLY).remote("dora", DurableCounter::new)) {
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      assertFails(
          () -> counter.sync(DurableCounter::addAndFail, 2), Status.USER_ERROR, "failed at 3");
      assertThat(grid("a").rpc().sync("dora", DurableCounter::addLocally, counter, 4)).isEqualTo(7);
      counter.remote(DurableCounter::add, 8).close();
      Await.until("it is counted", Workers.DEADLINE, () -> counter.sync(DurableCounter::get) == 15);
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(15);
    }
  }

  @Test
  void answeredCallIsKeptWhenOwnerDiesBeforeItsCreationIsKnown() {
    add("dora");
    FaultRule late = Faults.of(grid("dora")).on("rref.resolve").delay(Duration.ofMillis(500));
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.EVERY_REPLY).remote("dora", DurableCounter::new)) {
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(1);
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(1);
    }
    assertThat(late.count()).isPositive();
  }

  @Test
  void callFailsAndReferenceStaysUsableWhenOwnerIsLost() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.EVERY_REPLY).remote("dora", DurableCounter::new)) {
      counter
          .creation()
          .join(); // A call may start before the creator knows that the object is stored.
      CompletableFuture<Integer> call = counter.async(DurableCounter::slowAdd, "under way");
      Signal.named("under way").awaitReached();
      kill("dora");
      assertThat(assertFails(call, Status.WORKER_LOST, "dora").mayHaveRun()).isTrue();
      assertThat(counter.sync(DurableCounter::get)).as("it may have been stored").isBetween(0, 1);
      Signal.named("under way").release();
    }
  }

  @Test
  void receivedHandleFindsNextOwner() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::of, 1)) {
      counter.creation().join();
      assertThat(grid("a").rpc().sync("b", DurableCounter::keep, counter)).isEqualTo("b");
      killAndAwait("dora");
      assertThat(grid("a").rpc().sync("b", DurableCounter::addThroughKept, 1)).isEqualTo(2);
    }
    Await.until("it has an owner", Workers.DEADLINE, () -> rrefs("a").liveCount() == 1);
    assertThat(DurableCounter.letGo()).isEqualTo(1);
    awaitNothingLeft();
  }

  @Test
  void localObjectIsDurableWhenShared() {
    Grid dora = add("dora");
    RRef<DurableCounter> unshared =
        RRefs.on(dora).durable(Durability.EVERY_REPLY).local(DurableCounter.of(1));
    assertThat(unshared.localValue().add(1)).isEqualTo(2);
    try (RRef<DurableCounter> counter =
        grid("a").rpc().sync("dora", DurableCounter::make, Durability.EVERY_REPLY, 4)) {
      assertThat(counter.isDurable()).isTrue();
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(5);
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(6);
    }
  }

  @Test
  void nextOwnerUsesObjectItself() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::of, 1)) {
      counter.creation().join();
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(1);
      String owner = counter.owner().name();
      assertThat(grid("a").rpc().sync(owner, DurableCounter::addLocally, counter, 1)).isEqualTo(2);
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(2);
      assertThat(rrefs(owner).objectCount()).isEqualTo(1);
    }
  }

  @Test
  void objectContinuesWhenOwnerLeaves() {
    Grid dora = add("dora");
    try (RRef<DurableCounter> counter =
            rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::new);
        RRef<DurableCounter> other =
            rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::new)) {
      assertThat(counter.sync(DurableCounter::add, 5)).isEqualTo(5);
      CompletableFuture<Integer> call = other.async(DurableCounter::slowAdd, "leaving");
      Signal.named("leaving").awaitReached();
      CompletableFuture<Void> left = CompletableFuture.runAsync(dora::close);
      Await.until(
          "the first one has another owner",
          Workers.DEADLINE,
          () -> counter.sync(DurableCounter::get) == 5 && !counter.owner().name().equals("dora"));
      Signal.named("leaving").release();
      assertThat(call.join()).isEqualTo(1);
      left.join();
      leave("dora");
      Await.until(
          "dora is gone",
          Workers.DEADLINE,
          () -> grid("a").workers().stream().noneMatch(w -> w.name().equals("dora")));
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(6);
      assertThat(other.sync(DurableCounter::add, 1)).isEqualTo(2);
    }
    awaitNothingLeft();
  }

  @Test
  void objectThatIsMadeWhileItsOwnerLeavesIsHandedOver() {
    Grid dora = add("dora");
    DurableRRefs durables = rrefs("a").durable(Durability.ON_REQUEST);
    try (RRef<DurableCounter> used = durables.remote("dora", DurableCounter::new);
        RRef<DurableCounter> other = durables.remote("dora", DurableCounter::new);
        RRef<DurableCounter> made =
            durables.remote("dora", DurableCounter::slowOf, "made late", 7)) {
      other.creation().join();
      CompletableFuture<Integer> call = used.async(DurableCounter::slowAdd, "held");
      Signal.named("held").awaitReached();
      Signal.named("made late").awaitReached();
      Faults.of(dora).on("rref.resolve").delay(Duration.ofMillis(500));
      CompletableFuture<Void> left = CompletableFuture.runAsync(dora::close);
      Await.until(
          "handing over has begun",
          Workers.DEADLINE,
          () -> other.sync(DurableCounter::get) == 0 && !other.owner().name().equals("dora"));
      Signal.named("made late").release();
      Await.until(
          "all three are stored",
          Workers.DEADLINE,
          () -> grid("a").hazelcast().getMap("hazelgrad.values").size() == 3);
      Signal.named("held").release();
      assertThat(call.join()).isEqualTo(1);
      left.join();
      leave("dora");
      made.creation().join();
      assertThat(made.sync(DurableCounter::get)).isEqualTo(7);
    }
    awaitNothingLeft();
  }

  @Test
  void creationFailsWhenItsOwnerHasGivenUpTheObject() {
    Grid dora = add("dora");
    try (RRef<DurableCounter> kept = rrefs("b").local(new DurableCounter());
        RRef<DurableCounter> made =
            rrefs("a")
                .durable(Durability.ON_REQUEST)
                .remote("dora", DurableCounter::slowOf, "made too late", 7)) {
      grid("b").rpc().sync("dora", DurableCounter::keep, kept);
      Signal.named("made too late").awaitReached();
      // The worker waits until its own handle is released, and answers calls meanwhile.
      Faults.of(dora).on("rref.release").delay(Duration.ofSeconds(2));
      CompletableFuture<Void> left = CompletableFuture.runAsync(dora::close);
      awaitEntry(made, "LOST"); // Were it made before, another worker would go on with it.
      Signal.named("made too late").release();
      assertThat(made.creation())
          .failsWithin(Workers.DEADLINE)
          .withThrowableThat()
          .withMessageContaining("dora");
      left.join();
      leave("dora");
      assertThat(DurableCounter.letGo()).isEqualTo(1);
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
    try (RRef<DurableCounter> counter = rrefs("a").remote("b", DurableCounter::new)) {
      assertThat(counter.isDurable()).isFalse();
      assertFails(counter::checkpoint, Status.BAD_ARGUMENT, "not durable");
    }
  }

  @Test
  void durableObjectsAreInExplorerAndFigures() {
    try (RRef<DurableCounter> counter =
            rrefs("a").durable(Durability.ON_REQUEST).remote("b", DurableCounter::new);
        RRef<DurableCounter> other = rrefs("a").remote("b", DurableCounter::new)) {
      counter.creation().join();
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
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::of, 3)) {
      assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(4);
      registry().delete(counter.id());
      grid("c").hazelcast().getMap("hazelgrad.values").delete(counter.id());
      Await.until(
          "the value is there again, and the entry, with the fork of the holder",
          Workers.DEADLINE,
          () -> {
            Object entry = registry().get(counter.id());
            return grid("c").hazelcast().getMap("hazelgrad.values").size() == 1
                && String.valueOf(entry).startsWith("READY")
                && String.valueOf(entry).contains("of " + grid("a").worker().id());
          });
      killAndAwait("dora");
      assertThat(counter.sync(DurableCounter::get)).isEqualTo(4);
    }
  }

  @Test
  void objectIsLostIfNothingIsStored() {
    add("dora");
    try (RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("dora", DurableCounter::of, 3)) {
      counter.creation().join();
      grid("c").hazelcast().getMap("hazelgrad.values").delete(counter.id());
      killAndAwait("dora");
      assertFails(() -> counter.sync(DurableCounter::get), Status.RREF_LOST, "dora");
    }
  }

  @Test
  void valueIsRemovedWhenLeftOver() {
    RRef<DurableCounter> counter =
        rrefs("a").durable(Durability.ON_REQUEST).remote("b", DurableCounter::of, 3);
    counter.creation().join();
    Object stored = grid("c").hazelcast().getMap("hazelgrad.values").get(counter.id());
    counter.close();
    awaitNothingLeft();
    grid("c").hazelcast().getMap("hazelgrad.values").set(counter.id(), stored);
    nothingStaysStored();
  }
}
