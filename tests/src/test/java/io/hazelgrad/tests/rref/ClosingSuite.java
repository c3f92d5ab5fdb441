package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.closing;
import static io.hazelgrad.tests.rref.Workers.rpc;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the lifetime of objects: handles, references under way, calls and forgotten handles keep
 * an object.
 */
abstract class ClosingSuite {
  @BeforeEach
  void count() {
    Box.CLOSED.set(0);
  }

  @Test
  void handleMayBeClosedTwice() {
    RRef<Integer> ref = rrefs().remote("b", Box::twice, 1);
    ref.close();
    assertThat(ref.isClosed()).isTrue();
    ref.close();
  }

  @Test
  void handleFailsWhenClosed() {
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    box.close();
    assertFails(box::toHere, Status.RREF_CLOSED, box.id() + "", "closed");
    assertFails(() -> box.sync(Box::get), Status.RREF_CLOSED);
    assertFails(() -> box.remote(Box::get), Status.RREF_CLOSED);
    assertFails(() -> rpc().sync("b", Box::addTo, box, 1), Status.RREF_CLOSED, "argument 0");
  }

  @Test
  void objectIsClosedWhenLastHandleCloses() {
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    RRef<Box> other = give("c", box);
    assertThat(other.sync(Box::get)).isEqualTo(1);
    box.close();
    assertThat(other.sync(Box::add, 1)).isEqualTo(2);
    assertThat(Box.CLOSED).hasValue(0);
    other.close();
    Await.until("the box is closed", Workers.DEADLINE, () -> Box.CLOSED.get() == 1);
    awaitObjects("b", 0);
  }

  /** Gives another worker of this JVM a handle of its own. */
  private static RRef<Box> give(String to, RRef<Box> box) {
    assertThat(rpc().sync(to, Box::takeBox, box)).isEqualTo(to);
    return closing(Box.BOXES.remove(0));
  }

  @Test
  @WorkersOnly
  void localObjectIsClosedWhenHandleCloses() {
    RRef<Box> box = rrefs().local(new Box(1));
    box.close();
    Await.until("the box is closed", Workers.DEADLINE, () -> Box.CLOSED.get() == 1);
  }

  @Test
  void objectOfTwoReferencesIsClosedWhenSecondCloses() {
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    RRef<Box> same = box.remote(Box::itself);
    assertThat(same.sync(Box::add, 1)).isEqualTo(2);
    box.close();
    awaitObjects("b", 1);
    assertThat(Box.CLOSED).hasValue(0);
    assertThat(same.sync(Box::get)).isEqualTo(2);
    same.close();
    awaitObjects("b", 0);
    assertThat(Box.CLOSED).hasValue(1);
  }

  @Test
  void callsContinueWhenHandleCloses() {
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    CompletableFuture<Integer> sum = box.async(Box::slowAdd, "under way");
    Signal.named("under way").awaitReached();
    box.close();
    assertFails(() -> box.sync(Box::get), Status.RREF_CLOSED);
    assertThat(rrefs("b").objectCount()).isEqualTo(1);
    Signal.named("under way").release();
    assertThat(sum.join()).isEqualTo(2);
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(1);
  }

  @Test
  void objectLivesWhileHandleTravels() {
    RRef<Integer> ref = rrefs().remote("b", Box::twice, 4);
    CompletableFuture<Integer> read = rpc().async("c", Box::slowRead, ref, "on its way");
    ref.close();
    Signal.named("on its way").release();
    assertThat(read.join()).isEqualTo(8);
  }

  @Test
  void handleMayBeClosedDuringCreation() {
    RRef<Box> box = rrefs().remote("b", Box::slowBox, "closed early");
    Signal.named("closed early").awaitReached();
    box.close();
    Signal.named("closed early").release();
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(1);
  }

  @Test
  void objectIsReleasedWhenItsCloseThrows() {
    RRef<Box.Stuck> stuck = rrefs().remote("b", Function.of(Box.Stuck::new));
    stuck.creation().join();
    stuck.close();
    awaitObjects("b", 0);
  }

  @Test
  @PeerTest("test_rref_leak")
  void handleIsReportedAndReleasedWhenForgotten() {
    PrintStream err = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      String id = forget();
      Await.until(
          "the forgotten handle " + id + " is released",
          Workers.DEADLINE,
          () -> {
            System.gc();
            return rrefs().handleCount() == 0 && rrefs("b").objectCount() == 0;
          });
      assertThat(log.toString(StandardCharsets.UTF_8))
          .contains(id, "never closed", "ClosingSuite.java");
    } finally {
      System.setErr(err);
    }
  }

  /** The peer needs a search for cycles here; Java's collector handles cycles. */
  @Test
  @PeerTest("test_non_garbage_collected_user_rref_due_to_local_circular_dependency")
  void handleInCycleIsReleasedWhenForgotten() {
    forgetInACycle();
    Await.until(
        "the handle in a cycle is released",
        Workers.DEADLINE,
        () -> {
          System.gc();
          return rrefs().handleCount() == 0 && rrefs("b").objectCount() == 0;
        });
  }

  private static void forgetInACycle() {
    List<Object> cycle = new ArrayList<>();
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    box.creation().join();
    cycle.add(box);
    cycle.add(cycle);
  }

  @Test
  @PeerTest("test_use_rref_after_shutdown")
  @WorkersOnly
  void handleFailsWhenGridIsClosed() {
    RRefs rrefs = RRefs.on(Workers.add("dora"));
    RRef<Box> box = rrefs.remote("b", Box::new, 1);
    RRef<Integer> own = rrefs.local(2);
    box.creation().join();
    Workers.leave("dora");
    assertFails(box::toHere, Status.RREF_CLOSED, box.id() + "", "worker dora", "left the grid");
    assertFails(() -> box.sync(Box::get), Status.RREF_CLOSED, "left the grid");
    assertFails(box::type, Status.RREF_CLOSED, "left the grid");
    assertFails(own::localValue, Status.RREF_CLOSED, "left the grid");
    assertFails(() -> rrefs.local(1), Status.CLOSED, "dora", "left the grid");
    assertFails(() -> rrefs.remote("b", Box::new, 1), Status.CLOSED);
    box.close();
    own.close();
  }

  private static String forget() {
    RRef<Box> box = rrefs().remote("b", Box::new, 1);
    assertThat(box.sync(Box::get)).isEqualTo(1);
    return box.id().toString();
  }

  @Test
  void handleIsKeptWhileInUse() {
    CompletableFuture<Integer> sum =
        rrefs().remote("b", Box::new, 1).async(Box::slowAdd, "not forgotten");
    Signal.named("not forgotten").awaitReached();
    List.of(1, 2, 3).forEach(time -> System.gc());
    Signal.named("not forgotten").release();
    assertThat(sum.join()).isEqualTo(2);
    Await.until(
        "the handle is released",
        Workers.DEADLINE,
        () -> {
          System.gc();
          return rrefs().handleCount() == 0;
        });
  }
}
