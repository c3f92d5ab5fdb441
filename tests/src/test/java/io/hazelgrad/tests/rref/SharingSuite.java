package io.hazelgrad.tests.rref;

import static io.hazelgrad.tests.rref.Workers.driver;
import static io.hazelgrad.tests.rref.Workers.grid;
import static io.hazelgrad.tests.rref.Workers.rpc;
import static io.hazelgrad.tests.rref.Workers.rrefs;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.WorkersOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of references in arguments and results. */
abstract class SharingSuite {
  @Test
  void userSendsReferencesToOwner() {
    try (RRef<Integer> one = rrefs().remote("b", Box::twice, 1);
        RRef<Integer> other = rrefs().remote("b", Box::twice, 2)) {
      assertThat(rpc().sync("b", Box::sum, one, other)).isEqualTo(6);
    }
    try (RRef<Box> box = rrefs().remote("b", Box::new, 1)) {
      assertThat(rpc().sync("b", Box::addLocally, box, 1)).isEqualTo(2);
      assertThat(box.sync(Box::get)).isEqualTo(2);
    }
  }

  @Test
  void userSendsReferencesToAnotherUser() {
    try (RRef<Integer> one = rrefs().remote("b", Box::twice, 1);
        RRef<Integer> other = rrefs().remote("b", Box::twice, 2)) {
      assertThat(rpc().sync("c", Box::sum, one, other)).isEqualTo(6);
      try (RRef<Integer> sum = rrefs().remote("c", Box::sum, one, other)) {
        assertThat(sum.toHere()).isEqualTo(6);
      }
    }
  }

  @Test
  @WorkersOnly
  void ownerSendsReferencesToUsers() {
    try (RRef<Integer> one = rrefs().local(30);
        RRef<Integer> other = rrefs().local(60)) {
      assertThat(rpc().sync("b", Box::sum, one, other)).isEqualTo(90);
      assertThat(rrefs().liveCount()).isEqualTo(2);
      assertThat(rpc().sync("c", Box::sum, one, one)).isEqualTo(60);
    }
    assertThat(rpc().sync("b", Box::shareOwn, "c", 8)).isEqualTo(9);
  }

  @Test
  @WorkersOnly
  void ownerSendsReferencesToItself() {
    try (RRef<Integer> local = rrefs().local(30);
        RRef<Integer> remote = rrefs().remote("a", Box::twice, 6)) {
      assertThat(rpc().sync("a", Box::sum, local, remote)).isEqualTo(42);
      assertThat(rpc().sync("b", Box::sum, local, remote)).isEqualTo(42);
      try (RRef<Integer> here = rrefs().remote("a", Box::sum, local, remote);
          RRef<Integer> there = rrefs().remote("b", Box::sum, local, remote)) {
        assertThat(here.toHere()).isEqualTo(42);
        assertThat(there.toHere()).isEqualTo(42);
      }
    }
  }

  @Test
  void calleeReturnsReferencesToItsObjects() {
    List<RRef<Box>> boxes = rpc().sync("b", Box::ownBoxes, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(boxes.get(i).owner().name()).isEqualTo("b");
      assertThat(rpc().sync("b", Box::addLocally, boxes.get(i), 10)).isEqualTo(10 + i);
      assertThat(boxes.get(i).sync(Box::get)).isEqualTo(10 + i);
    }
    boxes.forEach(RRef::close);
  }

  @Test
  void userReturnsReferenceToUser() {
    try (RRef<Integer> ref = rpc().sync("b", Box::on, "c", 5)) {
      assertThat(ref.owner().name()).isEqualTo("c");
      assertThat(ref.toHere()).isEqualTo(10);
    }
  }

  @Test
  @WorkersOnly
  void userReturnsReferenceToOwner() {
    try (RRef<Integer> ref = rpc().sync("b", Box::on, "a", 5)) {
      assertThat(ref.isOwner()).isTrue();
      assertThat(ref.localValue()).isEqualTo(10);
    }
  }

  @Test
  void typeTravelsWithReferenceWhenItsSenderKnowsIt() {
    driver().faults().on("call.service:rref.type").fail();
    try (RRef<Box> own = rpc().sync("b", Box::ownBoxes, 1).get(0);
        RRef<Box> created = rrefs().remote("b", Box::new, 1)) {
      assertThat(own.type()).isEqualTo(Box.class.getName());
      assertThat(driver().faults().injected()).isEmpty();
      driver().faults().clear();
      assertThat(created.type()).isEqualTo(Box.class.getName());
      driver().faults().on("call.service:rref.type").fail();
      assertThat(created.type()).isEqualTo(Box.class.getName());
      Faults others = Faults.of(grid("c"));
      others.on("call.service:rref.type").fail();
      assertThat(rpc().sync("c", Box::typeOf, created)).isEqualTo(Box.class.getName());
      assertThat(rpc().sync("c", Box::typeOf, own)).isEqualTo(Box.class.getName());
      others.clear();
    } finally {
      driver().faults().clear();
    }
  }

  @Test
  void calleeReturnsReceivedReference() {
    RRef<Integer> ref = rrefs().remote("b", Box::twice, 2);
    RRef<Integer> fromUser = rpc().sync("c", Box::same, ref);
    RRef<Integer> fromOwner = rpc().sync("b", Box::same, ref);
    assertThat(fromUser.id()).isEqualTo(ref.id()).isEqualTo(fromOwner.id());
    ref.close();
    assertThat(fromUser.toHere()).isEqualTo(4);
    fromUser.close();
    assertThat(fromOwner.toHere()).isEqualTo(4);
    fromOwner.close();
  }

  @Test
  void referencesTravelInListsMapsAndRecords() {
    try (RRef<Integer> one = rrefs().remote("b", Box::twice, 1);
        RRef<Integer> other = rrefs().remote("c", Box::twice, 2);
        RRef<Integer> own = rrefs().remote("a", Box::twice, 50)) {
      Box.Bundle bundle =
          new Box.Bundle("bundle", one, Map.of("x", List.of(other), "y", List.of(own, own)));
      assertThat(rpc().sync("b", Box::readParcel, bundle)).isEqualTo(206);
      Box.Bundle back = rpc().sync("c", Box::repack, bundle);
      assertThat(back.label()).isEqualTo("re: bundle");
      assertThat(Box.readParcel(back)).isEqualTo(206);
      back.one().close();
      back.others().values().forEach(refs -> refs.forEach(RRef::close));
    }
  }

  @Test
  void objectContainsReferencesToOthers() {
    List<CompletableFuture<RRef<List<RRef<Integer>>>>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int x = i;
      all.add(CompletableFuture.supplyAsync(() -> rrefs().remote("b", Box::pairOn, "c", x)));
    }
    for (int i = 0; i < 20; i++) {
      RRef<List<RRef<Integer>>> pair = all.get(i).join();
      List<RRef<Integer>> refs = pair.toHere();
      pair.close();
      assertThat(refs.get(0).toHere()).isEqualTo(2 * i);
      assertThat(refs.get(1).toHere()).isEqualTo(2 * i + 2);
      refs.forEach(RRef::close);
    }
  }

  @Test
  void referenceIsForwardedOverEightHops() {
    try (RRef<Integer> ref = rrefs().remote("b", Box::twice, 21)) {
      List<String> route = List.of("c", "a", "b", "c", "b", "a", "c");
      assertThat(rpc().sync("b", Box::hop, ref, route)).isEqualTo(42);
    }
  }

  @Test
  void chainOfObjectsHoldsItsEnd() {
    List<String> owners = List.of("c", "a", "b", "c", "b", "a", "c", "b");
    RRef<?> last = rrefs().remote("b", Box::twice, 21);
    for (String owner : owners) {
      RRef<?> next = rrefs().remote(owner, Box.link(), last);
      next.creation().join();
      last.close();
      last = next;
    }
    for (int i = 0; i < owners.size(); i++) {
      RRef<?> inner = (RRef<?>) ((List<?>) last.toHere()).get(0);
      if (last
          .isOwner()) { // The owner returns the list itself with its handle; this gets a handle of
        // our own.
        inner = rpc().sync("b", Box.pass(), inner);
      }
      last.close();
      last = inner;
    }
    assertThat(last.toHere()).isEqualTo(42);
    last.close();
  }

  @Test
  void calleeSeesOnlyConfirmedReferences() {
    try (RRef<Integer> slow = rrefs().remote("b", Box::slowNumber, "not confirmed yet")) {
      Signal.named("not confirmed yet").awaitReached();
      assertThat(slow.isConfirmed()).isFalse();
      assertThat(rpc().sync("c", Box::isConfirmed, slow)).isTrue();
      assertThat(rpc().sync("b", Box::isConfirmed, slow)).isTrue();
      try (RRef<Boolean> confirmed = rrefs().remote("c", Box::isConfirmed, slow)) {
        assertThat(confirmed.toHere()).isTrue();
      }
    }
  }

  @Test
  void referenceIsSharedDuringCreation() {
    RRef<Integer> slow = rrefs().remote("b", Box::slowNumber, "handed on early");
    CompletableFuture<Integer> twice = rpc().async("c", Box::sum, slow, slow);
    Signal.named("handed on early").awaitReached();
    slow.close();
    Signal.named("handed on early").release();
    assertThat(twice.join()).isEqualTo(14);
  }

  @Test
  void methodsTakeReferences() {
    try (RRef<Box> box = rrefs().remote("b", Box::new, 1);
        RRef<Integer> amount = rrefs().remote("c", Box::twice, 5)) {
      assertThat(box.<Integer>sync(Function.of(Box::addFrom), amount)).isEqualTo(11);
      try (RRef<Integer> sum = box.remote(Function.of(Box::addFrom), amount)) {
        assertThat(sum.toHere()).isEqualTo(21);
      }
    }
  }

  /** The second copy of a reply is read too. It must not release the reference of the first one. */
  @Test
  void replyBringsItsReferenceOnceWhenDuplicated() {
    List<CompletableFuture<RRef<Integer>>> calls = new ArrayList<>();
    driver().faults().on("call.function").to("b").duplicate();
    try {
      for (int i = 0; i < 10; i++) {
        calls.add(rpc().async("b", Box::slowOwn, "comes twice", i));
      }
      Signal.named("comes twice").awaitReached();
      Signal.named("comes twice").release();
      calls.forEach(CompletableFuture::join);
    } finally {
      driver().faults().clear();
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 10; i++) {
        assertThat(calls.get(i).join().toHere()).isEqualTo(i);
      }
    }
    calls.forEach(call -> call.join().close());
  }
}
