package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.driver;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests of reading an object and calling its methods. */
abstract class UseSuite {
  @Test
  void toHereCopiesEachTime() {
    try (RRef<List<Integer>> ref = rrefs().remote("b", Box::numbers, 3)) {
      List<Integer> first = ref.toHere();
      first.add(99);
      assertThat(ref.toHere()).isEqualTo(List.of(0, 1, 2));
    }
  }

  @Test
  void localValueIsRefusedWhenNotOwner() {
    try (RRef<Integer> ref = rrefs().remote("b", Box::twice, 1)) {
      assertFails(
          ref::localValue, Status.RREF_NOT_OWNER, driver().name(), "owner b", ref.id() + "");
      assertFails(ref::hasValue, Status.RREF_NOT_OWNER, driver().name(), "owner b");
    }
  }

  @Test
  void methodCallsAddUp() {
    for (String owner : List.of("a", "b")) {
      try (RRef<Box> box = rrefs().remote(owner, Box::new, 0)) {
        assertThat(box.sync(Box::add, 1)).isEqualTo(1);
        assertThat(box.async(Box::add, 2).join()).isEqualTo(3);
        try (RRef<Integer> sum = box.remote(Box::add, 3)) {
          assertThat(sum.owner().name()).isEqualTo(owner);
          assertThat(sum.toHere()).isEqualTo(6);
        }
        assertThat(box.sync(Box::get)).isEqualTo(6);
      }
    }
  }

  @Test
  void callsWaitDuringCreation() {
    try (RRef<Box> box = rrefs().remote("b", Box::slowBox, "called early")) {
      CompletableFuture<Integer> sum = box.async(Box::add, 1);
      RRef<Integer> next = box.remote(Box::add, 1);
      Signal.named("called early").awaitReached();
      assertThat(sum).isNotDone();
      Signal.named("called early").release();
      assertThat(sum.join() + next.toHere()).isEqualTo(2 + 3);
      next.close();
    }
  }

  @Test
  void usesFailWithErrorOfCreation() {
    for (String owner : List.of("a", "b")) {
      try (RRef<Box> box = rrefs().remote(owner, Box::failingBox, "no box today")) {
        assertRethrown(box::toHere, owner);
        assertRethrown(() -> box.sync(Box::add, 1), owner);
        assertRethrown(() -> Failures.join(box.async(Box::add, 1)), owner);
        try (RRef<Integer> next = box.remote(Box::add, 1)) {
          assertRethrown(next::toHere, owner);
        }
        box.creation().join();
        assertThat(box.isConfirmed()).isTrue();
        if (box.isOwner()) {
          assertRethrown(box::localValue, owner);
        }
      }
    }
  }

  private static void assertRethrown(ThrowingCallable use, String owner) {
    GridException failure = assertFails(use, Status.USER_ERROR, "no box today");
    assertThat(failure).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(failure.remote().worker()).isEqualTo(owner);
    assertThat(failure.remote().stack()).anyMatch(frame -> frame.contains("failingBox"));
  }

  @Test
  void objectStaysUsableWhenMethodThrows() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 4)) {
      assertFails(() -> box.sync(Box::failing, "broken"), Status.USER_ERROR, "broken at 4");
      assertThat(box.sync(Box::get)).isEqualTo(4);
    }
  }

  @Test
  void ownerStaysUsableWhenItsFunctionLostAnotherWorker() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 4)) {
      assertFails(
          () -> box.sync(Function.of(Box::losesAnother)), Status.WORKER_LOST, "worker z has left");
      assertThat(box.sync(Box::get)).isEqualTo(4);
    }
  }

  @Test
  void toHereFailsWhenObjectCannotTravel() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 4)) {
      assertFails(box::toHere, Status.BAD_VALUE, Box.class.getName());
    }
  }

  @Test
  void deadlineEndsItsOwnReadOnly() {
    for (String owner : List.of("a", "b")) {
      try (RRef<Integer> slow = rrefs().remote(owner, Box::slowNumber, "read late" + owner)) {
        assertFails(() -> slow.within(Duration.ofMillis(50)).toHere(), Status.TIMEOUT);
        Signal.named("read late" + owner).release();
        assertThat(slow.toHere()).isEqualTo(7);
      }
    }
  }

  @Test
  void readWaitsForCreationWithoutDeadline() throws Exception {
    for (String owner : List.of("a", "b")) {
      try (RRef<Integer> slow = rrefs().remote(owner, Box::slowNumber, "no end" + owner)) {
        CompletableFuture<Integer> read = slow.within(Duration.ZERO).toHereAsync();
        Signal.named("no end" + owner).release();
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(7);
      }
    }
  }

  @Test
  void callEndsAtOnceWhenCancelled() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 0)) {
      CompletableFuture<Integer> call = box.async(Box::slowAdd, "cancelled");
      Signal.named("cancelled").awaitReached();
      assertThat(call.cancel(true)).isTrue();
      Await.until("the call is over", Workers.DEADLINE, () -> driver().outstandingCalls() == 0);
    }
  }

  @Test
  void callbackMayWaitForAnotherCall() {
    try (RRef<Integer> slow = rrefs().remote("a", Box::slowNumber, "callback");
        RRef<Box> other = rrefs().remote("b", Box::new, 1)) {
      CompletableFuture<Integer> sum =
          slow.toHereAsync().thenApply(made -> made + other.sync(Box::get));
      Signal.named("callback").release();
      assertThat(sum.join()).isEqualTo(8);
    }
  }
}
