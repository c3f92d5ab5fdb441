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
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of references when workers die or leave. */
@ExtendWith(Workers.class)
class WorkerLossTest {
  @Test
  void objectIsReleasedWhenLastHolderDies() {
    Grid dora = add("dora");
    try (RRef<Integer> ref = rrefs("a").remote("b", Box::twice, 1)) {
      assertThat(grid("a").rpc().sync("dora", Box::stashKept, ref)).isEqualTo(2);
    }
    RRef<Box> own = RRefs.on(dora).remote("c", Box::new, 1);
    own.creation().join();
    Box.STASH.clear();
    assertThat(rrefs("b").objectCount()).isEqualTo(1);
    kill("dora");
    awaitObjects("b", 0);
    awaitObjects("c", 0);
    awaitNothingLeft();
  }

  @Test
  void objectStaysWhenAnotherHolderLives() {
    add("dora");
    try (RRef<Integer> ref = rrefs("a").remote("b", Box::twice, 1)) {
      assertThat(grid("a").rpc().sync("dora", Box::stashKept, ref)).isEqualTo(2);
      Box.STASH.clear();
      kill("dora");
      assertThat(ref.toHere()).isEqualTo(2);
      assertThat(rrefs("a").liveCount()).isEqualTo(1);
    }
  }

  @Test
  void objectIsLostWhenOwnerDies() {
    add("dora");
    RRef<Box> box = rrefs("a").remote("dora", Box::new, 1);
    RRef<Integer> slow = rrefs("a").remote("dora", Box::slowNumber, "never made");
    assertThat(grid("a").rpc().sync("c", Box::takeBox, box)).isEqualTo("c");
    RRef<Box> other = Box.BOXES.remove(0);
    CompletableFuture<Integer> call = box.async(Box::slowAdd, "never ends");
    CompletableFuture<Integer> wait = slow.toHereAsync();
    Signal.named("never made").awaitReached();
    Signal.named("never ends").awaitReached();
    kill("dora");
    assertFails(call, Status.RREF_LOST, "worker dora");
    assertFails(wait, Status.RREF_LOST, "worker dora");
    assertFails(slow.creation(), Status.RREF_LOST, "worker dora");
    assertFails(slow::toHere, Status.RREF_LOST, "worker dora");
    for (RRef<Box> handle : List.of(box, other)) {
      assertFails(handle::toHere, Status.RREF_LOST, "worker dora");
      assertFails(() -> handle.sync(Box::get), Status.RREF_LOST, "worker dora");
      assertFails(() -> handle.remote(Box::get), Status.RREF_LOST, "worker dora");
    }
    assertFails(
        () -> grid("a").rpc().sync("b", Box::addTo, box, 1), Status.RREF_LOST, "worker dora");
    List.of(box, other, slow).forEach(RRef::close);
    awaitNothingLeft();
  }

  /** Two members die: the owner's and the one with the copy of the entry. */
  @Test
  void objectIsLostWhenOwnerAndEntryAreLost() {
    add("dora");
    try (RRef<Box> box = rrefs("a").remote("dora", Box::new, 1)) {
      box.creation().join();
      kill("dora");
      awaitEntry(box, "LOST");
      registry().delete(box.id());
      assertThat(grid("a").rpc().sync("c", Box::takeBox, box)).isEqualTo("c");
      awaitEntry(box, "LOST");
      Box.BOXES.remove(0).close();
      awaitEntry(box, "GONE");
      assertFails(
          () -> grid("a").rpc().sync("c", Box::takeBox, box), Status.RREF_LOST, "worker dora");
    }
    awaitNothingLeft();
  }

  @Test
  void objectIsLostWhenOwnerLeaves() {
    Box.CLOSED.set(0);
    add("dora");
    RRef<Box> box = rrefs("a").remote("dora", Box::new, 1);
    RRef<Integer> slow = rrefs("a").remote("dora", Box::slowNumber, "left");
    box.creation().join();
    CompletableFuture<Integer> wait = slow.toHereAsync();
    Signal.named("left").awaitReached();
    leave("dora");
    assertThat(Box.CLOSED).hasValue(1);
    assertFails(wait, Status.RREF_LOST, "worker dora");
    assertFails(box::toHere, Status.RREF_LOST, "worker dora");
    assertFails(() -> box.sync(Box::get), Status.RREF_LOST, "worker dora");
    Signal.named("left").release();
    box.close();
    slow.close();
    awaitNothingLeft();
  }

  @Test
  void objectIsLostWhenOwnerLeavesBeforeItsEntryIsMade() {
    FaultRule late = Faults.of(add("dora")).on("rref.create").delay(Duration.ofSeconds(5));
    RRef<Box> box = rrefs("a").remote("dora", Box::slowBox, "not entered");
    Signal.named("not entered").awaitReached();
    CompletableFuture<Integer> call = box.async(Box::get);
    Await.until("the entry is under way", Workers.DEADLINE, () -> late.count() == 1);
    leave("dora");
    assertFails(call, Status.RREF_LOST, "worker dora");
    assertFails(box.creation(), Status.RREF_LOST, "worker dora");
    Signal.named("not entered").release();
    box.close();
    awaitNothingLeft();
  }

  @Test
  @PeerTest("test_ignore_rref_leak")
  void handlesAreReleasedWhenHolderLeaves() {
    Grid dora = add("dora");
    RRef<Box> box = RRefs.on(dora).remote("b", Box::new, 1);
    RRef<Box> local = RRefs.on(dora).local(new Box(2));
    assertThat(box.sync(Box::get)).isEqualTo(1);
    leave("dora");
    awaitObjects("b", 0);
    assertThat(box.isClosed()).isTrue();
    assertThat(local.isClosed()).isTrue();
    assertFails(box::toHere, Status.RREF_CLOSED, "dora");
    assertFails(() -> RRefs.on(dora).local(3), Status.CLOSED);
  }

  @Test
  void objectIsDroppedWhenCreatorDiesDuringCreation() {
    Box.CLOSED.set(0);
    Grid dora = add("dora");
    RRef<Box> box = RRefs.on(dora).remote("b", Box::slowBox, "orphan");
    Signal.named("orphan").awaitReached();
    assertThat(box.isConfirmed()).isFalse();
    kill("dora");
    Signal.named("orphan").release();
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(1);
  }

  @Test
  void objectIsClosedAfterCallThatUsesIt() {
    Box.CLOSED.set(0);
    RRef<Box> box = RRefs.on(add("dora")).remote("c", Box::new, 1);
    var unused = box.async(Box::stubborn, "in use");
    Signal.named("in use").awaitReached();
    kill("dora");
    awaitObjects("c", 0);
    assertThat(Box.CLOSED).hasValue(0);
    Signal.named("in use").release();
    Await.until("the box is closed", Workers.DEADLINE, () -> Box.CLOSED.get() == 1);
  }

  /** Simulates that the members with the entries died together. */
  @Test
  @Tag("slow")
  void entriesAreRestoredWhenLost() {
    Box.CLOSED.set(0);
    RRef<Box> made = rrefs("a").remote("b", Box::new, 1);
    assertThat(grid("a").rpc().sync("c", Box::takeBox, made)).isEqualTo("c");
    RRef<Box> other = Box.BOXES.remove(0);
    RRef<Box> slow = rrefs("a").remote("b", Box::slowBox, "entry lost");
    RRef<Box> own = grid("a").rpc().sync("b", Box::ownBoxes, 1).get(0);
    RRef<Box> nobodys = rrefs("a").remote("b", Box::new, 1);
    nobodys.creation().join();
    Signal.named("entry lost").awaitReached();
    for (RRef<Box> ref : List.of(made, slow, own, nobodys)) {
      registry().delete(ref.id());
    }
    nobodys.close();
    Await.until("all are known again", Workers.DEADLINE, () -> rrefs("c").liveCount() == 3);
    awaitObjects("b", 3);
    assertThat(Box.CLOSED).hasValue(1);
    made.close();
    assertThat(other.sync(Box::get)).isEqualTo(1);
    assertThat(own.sync(Box::get)).isZero();
    Signal.named("entry lost").release();
    assertThat(slow.sync(Box::get)).isEqualTo(1);
    List.of(other, slow, own).forEach(RRef::close);
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(4);
  }

  @Test
  @Tag("slow")
  void objectsOutliveTwoMembersThatDieTogether() {
    List<RRef<Box>> boxes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      boxes.add(rrefs("a").remote(List.of("a", "b", "c").get(i % 3), Box::new, i));
    }
    boxes.forEach(box -> box.creation().join());
    Grid dora = add("dora");
    Grid emil = add("emil");
    CompletableFuture.allOf(
            CompletableFuture.runAsync(() -> dora.hazelcast().getLifecycleService().terminate()),
            CompletableFuture.runAsync(() -> emil.hazelcast().getLifecycleService().terminate()))
        .join();
    kill("emil");
    kill("dora");
    Await.until("all are known", Workers.DEADLINE, () -> rrefs("a").liveCount() == 60);
    for (int i = 0; i < 60; i++) {
      assertThat(boxes.get(i).sync(Box::get)).isEqualTo(i);
      boxes.get(i).close();
    }
  }

  @Test
  void newWorkersKeepTheirReferences() {
    List<RRef<Box>> boxes = new ArrayList<>();
    for (String name : List.of("dora", "emil")) {
      Grid grid = add(name);
      for (int i = 0; i < 50; i++) {
        boxes.add(RRefs.on(grid).remote(List.of("a", "b", "c").get(i % 3), Box::new, i));
      }
    }
    for (int i = 0; i < boxes.size(); i++) {
      assertThat(boxes.get(i).sync(Box::get)).isEqualTo(i % 50);
      boxes.get(i).close();
    }
  }
}
