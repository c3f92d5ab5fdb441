package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Failures.assertFails;
import static io.hazelgrad.tests.rref.Workers.awaitNothingLeft;
import static io.hazelgrad.tests.rref.Workers.awaitObjects;
import static io.hazelgrad.tests.rref.Workers.closing;
import static io.hazelgrad.tests.rref.Workers.rpc;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the handles that a called function receives or creates: they close when the call ends.
 */
abstract class ScopeSuite {
  @BeforeEach
  void empty() {
    Box.STASH.clear();
    Box.LATER.clear();
  }

  @Test
  void receivedHandleClosesWithCall() {
    try (RRef<Integer> ref = rrefs().remote("b", Box::twice, 1)) {
      assertThat(rpc().sync("c", Box::stash, ref)).isEqualTo(2);
      assertEnded("stash");
    }
  }

  @Test
  void createdHandleClosesWithCall() {
    assertThat(rpc().sync("c", Box::stashMade, "b", 1)).isEqualTo(2);
    assertEnded("stashMade");
  }

  @Test
  void handleInReplyClosesWithCall() {
    assertThat(rpc().sync("c", Box::stashReceived, "b", 1)).isEqualTo(1);
    assertEnded("stashReceived");
  }

  private static void assertEnded(String function) {
    RRef<Integer> ended = Box.STASH.remove(0);
    Await.until("the handle is closed", Workers.DEADLINE, ended::isClosed);
    assertFails(ended::toHere, Status.RREF_CLOSED, "Box::" + function, "keep()");
  }

  @Test
  void handleStaysOpenWhenKept() {
    RRef<Integer> ref = rrefs().remote("b", Box::twice, 1);
    assertThat(rpc().sync("c", Box::stashKept, ref)).isEqualTo(2);
    ref.close();
    RRef<Integer> kept = closing(Box.STASH.remove(0));
    assertThat(kept.isClosed()).isFalse();
    assertThat(kept.toHere()).isEqualTo(2);
    assertThat(rrefs("c").handleCount()).isEqualTo(1);
  }

  @Test
  void handlesInObjectLiveAsLongAsObject() {
    RRef<List<RRef<Integer>>> pair = rrefs().remote("b", Box::pairOn, "c", 1);
    pair.creation().join();
    awaitObjects("c", 2);
    assertThat(rrefs("b").handleCount()).isEqualTo(2);
    pair.close();
    awaitObjects("c", 0);
    awaitNothingLeft();
  }

  @Test
  void handleInTwoObjectsLivesAsLongAsSecond() {
    RRef<List<RRef<Integer>>> pair = rrefs().remote("b", Box::pairOn, "c", 1);
    RRef<List<RRef<Integer>>> same = pair.remote(Box.sameList());
    same.creation().join();
    pair.close();
    awaitObjects("b", 1);
    List<RRef<Integer>> refs = same.toHere();
    assertThat(refs.get(0).toHere() + refs.get(1).toHere()).isEqualTo(2 + 4);
    refs.forEach(RRef::close);
    same.close();
  }

  @Test
  void handleInLateReplyBelongsToItsReceiver() throws Exception {
    assertThat(rpc().sync("c", Box::askForLater, "b", "after the call")).isZero();
    Signal.named("after the call").release();
    try (RRef<Integer> late = Box.LATER.remove(0).get(20, TimeUnit.SECONDS)) {
      assertThat(late.toHere()).isEqualTo(5);
    }
  }
}
