package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failing.assertFails;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.driver;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is different for a client: it holds, and owns nothing. */
abstract class OwningNothing {
  @Test
  void localObjectsAreRefused() {
    assertFails(() -> rrefs().local(1), Status.RREF_NOT_OWNER, driver().name(), "owns no objects");
    assertThat(rrefs().handleCount()).isZero();
  }

  @Test
  void objectsOnTheClientItselfAreRefused() {
    assertFails(
        () -> rrefs().remote(driver().name(), Box::new, 1),
        Status.UNKNOWN_WORKER,
        "a client, which cannot be called");
    assertFails(
        () -> rrefs().remote(driver().self(), io.hazelgrad.grid.Function.of(Box::new), 1),
        Status.UNKNOWN_WORKER,
        "a client, which cannot be called");
    assertThat(rrefs().handleCount()).isZero();
  }

  @Test
  void handlesOfAClosedClientAreReleasedAndSaySo() {
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

  @Test
  void twoClientsHandReferencesToEachOtherByAWorker() {
    try (GridClient other = Workers.client("other");
        RRef<Box> box = rrefs().remote("b", Box::new, 1)) {
      assertThat(driver().rpc().sync("c", Box::takeBox, box)).isEqualTo("c");
      try (RRef<Box> kept = Box.BOXES.remove(0)) {
        assertThat(kept.sync(Box::get)).isEqualTo(1);
      }
      assertThat(other.rrefs().handleCount()).isZero();
    }
  }
}
