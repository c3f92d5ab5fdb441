package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.closing;
import static io.hazelgrad.tests.rref.Workers.rpc;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.fault.FaultRule;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of creations that fail and of replies that come too late. */
abstract class FailedCreationSuite {
  private static final Duration SHORT = Duration.ofMillis(100);

  @Test
  @PeerTest("timeout_of_confirmation")
  void creationFailsAtDeadline() {
    Box.CLOSED.set(0);
    RRef<Box> box = rrefs().remote(SHORT, "b", Function.of(Box::slowBox), "too long");
    Signal.named("too long").awaitReached();
    assertFails(box.creation(), Status.RREF_TIMED_OUT, box.id() + "", "worker b");
    assertThat(box.isConfirmed()).isFalse();
    assertFails(box::toHere, Status.RREF_TIMED_OUT);
    assertFails(() -> box.sync(Box::get), Status.RREF_TIMED_OUT);
    assertFails(() -> box.remote(Box::get), Status.RREF_TIMED_OUT);
    box.close();
    Signal.named("too long").release();
    awaitNothingLeft();
    assertThat(Box.CLOSED).hasValue(1);
  }

  @Test
  void objectIsDroppedWhenItIsLate() {
    Box.CLOSED.set(0);
    try (RRef<Box> box = rrefs().remote(SHORT, "b", Function.of(Box::slowBox), "late")) {
      assertFails(box.creation(), Status.RREF_TIMED_OUT);
      RRef<Box> other = give("c", box);
      Signal.named("late").release();
      Workers.awaitObjects("b", 0);
      assertThat(Box.CLOSED).hasValue(1);
      assertFails(() -> other.sync(Box::get), Status.RREF_TIMED_OUT, "worker b");
    }
  }

  /** Gives another worker of this JVM a handle of its own. */
  private static RRef<Box> give(String to, RRef<Box> box) {
    assertThat(rpc().sync(to, Box::takeBox, box)).isEqualTo(to);
    return closing(Box.BOXES.remove(0));
  }

  @Test
  void waitersFailWhenCreationTimesOut() {
    try (RRef<Box> box = rrefs().remote(SHORT, "b", Function.of(Box::slowBox), "waiters")) {
      CompletableFuture<Box> read = box.toHereAsync();
      CompletableFuture<Integer> call = box.async(Box::get);
      assertFails(read, Status.RREF_TIMED_OUT);
      assertFails(call, Status.RREF_TIMED_OUT);
    }
  }

  @Test
  void callFailsWhenCreationTimesOutWhileItIsSent() {
    try (RRef<Box> box = rrefs().remote(SHORT, "b", Function.of(Box::slowBox), "sending")) {
      List<Integer> writtenLate =
          new AbstractList<>() {
            @Override
            public Integer get(int index) {
              return 1;
            }

            @Override
            public int size() {
              assertFails(box.creation(), Status.RREF_TIMED_OUT);
              return 1;
            }
          };
      assertFails(() -> box.sync(Box::addAll, writtenLate), Status.RREF_TIMED_OUT);
    }
  }

  @Test
  void callFailsWithReasonOfCreatorWhenOwnerKnowsFirst() {
    Faults faults = Faults.of(Workers.driver().access());
    faults.on("remote.function").first(1).fail();
    // The registry knows that the creation failed, and the creator does not yet.
    FaultRule unanswered = faults.on("rref.resolve").firstAttempts(1).dropReply();
    try (RRef<Integer> two = rrefs().remote("b", Box::twice, 1)) {
      assertFails(two::toHere, Status.INTENTIONAL_FAILURE);
      assertThat(unanswered.count()).isPositive();
    } finally {
      faults.clear();
    }
  }

  @Test
  void argumentIsRefusedAtOnceWhenItCannotTravel() {
    assertFails(
        () -> rrefs().remote("b", Function.of(Box::losesAnother), new Box(1)),
        Status.BAD_VALUE,
        "argument 0");
    assertThat(rrefs().handleCount()).isZero();
  }

  @Test
  void creationIsRefusedAtOnceWhenWorkerIsUnknown() {
    assertFails(() -> rrefs().remote("zoe", Box::twice, 1), Status.UNKNOWN_WORKER, "zoe");
  }

  @Test
  void creationIsRefusedWhenOperatorIsUnknown() {
    assertFails(
        () -> {
          try (RRef<?> ref =
              rrefs()
                  .remote(
                      "b", Function.operator("no-such-operator"), Tensor.of(new double[] {1}, 1))) {
            ref.toHere();
          }
        },
        Status.UNKNOWN_FUNCTION,
        "no-such-operator");
  }

  @Test
  void creationIsRefusedWhenFunctionIsNotAllowed() {
    for (String owner : List.of("a", "b")) {
      try (RRef<Integer> ref = rrefs().remote(owner, ForbiddenFunctions::number, 1)) {
        CompletableFuture<Integer> read = ref.toHereAsync();
        assertFails(ref.creation(), Status.NOT_ALLOWED, "ForbiddenFunctions");
        assertFails(read, Status.NOT_ALLOWED);
        assertFails(ref::toHere, Status.NOT_ALLOWED);
      }
    }
  }

  @Test
  void otherHoldersFailWhenCreationFailed() {
    try (RRef<Integer> ref = rrefs().remote("b", ForbiddenFunctions::number, 1)) {
      CompletableFuture<Integer> early = rpc().async("c", Box::sum, ref, ref);
      assertNotMade(early);
      assertFails(ref.creation(), Status.NOT_ALLOWED);
      assertNotMade(rpc().async("c", Box::sum, ref, ref));
      assertNotMade(rpc().async("b", Box::sum, ref, ref));
    }
  }

  /** The failure arrives long before the deadline of the call. */
  private static void assertNotMade(CompletableFuture<Integer> use) {
    assertThatThrownBy(() -> Failures.join(use.orTimeout(5, TimeUnit.SECONDS)))
        .isInstanceOfSatisfying(
            GridException.class,
            failure ->
                assertThat(failure.status())
                    .as(failure.toString())
                    .isIn(Status.RREF_FAILED, Status.NOT_ALLOWED));
  }

  @Test
  void creationIsNotStartedWhenArgumentIsRefused() {
    Box.CLOSED.set(0);
    try (RRef<Box> failing = rrefs().remote("b", Box::failingBox, "no box");
        RRef<Integer> next = failing.remote(Box::get);
        RRef<Integer> last = rrefs().remote("b", Box::addLocally, failing, 1)) {
      assertFails(next::toHere, Status.USER_ERROR, "no box");
      assertFails(last::toHere, Status.USER_ERROR, "no box");
    }
  }

  @Test
  void referencesInReplyAreReleasedWhenReplyIsLate() {
    CompletableFuture<RRef<Integer>> call =
        rpc().within(SHORT).async("b", Box::slowOwn, "late reply", 1);
    Signal.named("late reply").awaitReached();
    assertFails(call, Status.TIMEOUT);
    Signal.named("late reply").release();
    awaitNothingLeft();
  }

  @Test
  void referencesInResultAreReleasedWhenCallIsCancelled() {
    CompletableFuture<RRef<Integer>> call = rpc().async("b", Box::slowOwn, "cancelled reply", 1);
    Signal.named("cancelled reply").awaitReached();
    call.cancel(true);
    Signal.named("cancelled reply").release();
    awaitNothingLeft();
  }

  @Test
  void referencesInResultAreReleasedWhenItCannotBeSent() {
    try (RRef<Integer> good = rrefs().remote("c", Box::twice, 1)) {
      assertFails(() -> rpc().sync("b", Box::oneClosed, good), Status.RREF_CLOSED);
      assertThat(good.toHere()).isEqualTo(2);
    }
  }
}
