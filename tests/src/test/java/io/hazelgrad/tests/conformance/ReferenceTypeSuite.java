package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of the types of objects behind remote references. */
class ReferenceTypeSuite extends PeerSuite {
  private final String key = "types " + UUID.randomUUID();

  @Test
  @PeerTest("test_rref_type_blocking")
  void typeIsReturned() {
    try (RRef<ReferenceSuite.Counter> counter =
        rrefs().remote(dst(), ReferenceSuite.Counter::new, 0)) {
      assertThat(counter.type()).isEqualTo(ReferenceSuite.Counter.class.getName());
      assertThat(counter.type()).isEqualTo(ReferenceSuite.Counter.class.getName());
    }
  }

  @Test
  @PeerTest("test_rref_type_non_blocking")
  void typeIsReturnedByFuture() {
    try (RRef<ReferenceSuite.Counter> counter =
        rrefs().remote(dst(), ReferenceSuite.Counter::new, 0)) {
      assertThat(Rpc.await(counter.typeAsync())).isEqualTo(ReferenceSuite.Counter.class.getName());
    }
  }

  @Test
  @PeerTest("test_rref_type_with_error_blocking")
  void typeFailsWhenCreationFailed() {
    try (RRef<String> failing = rrefs().remote(dst(), ErrorSuite::raise, "no object")) {
      fails(Status.USER_ERROR, "no object", failing::type);
    }
  }

  @Test
  @PeerTest("test_rref_type_with_error_non_blocking")
  void typeFutureFailsWhenCreationFailed() {
    try (RRef<String> failing = rrefs().remote(dst(), ErrorSuite::raise, "no object")) {
      CompletableFuture<?> type = failing.typeAsync();
      fails(Status.USER_ERROR, "no object", () -> Rpc.await(type));
    }
  }

  @Test
  @PeerTest("test_rref_type_owner_blocking")
  @WorkersOnly
  void typeOfLocalObjectIsReturned() {
    try (RRef<ReferenceSuite.Counter> counter = rrefs().local(new ReferenceSuite.Counter(1))) {
      assertThat(counter.type()).isEqualTo(ReferenceSuite.Counter.class.getName());
    }
  }

  @Test
  @PeerTest("test_rref_type_owner_non_blocking")
  @WorkersOnly
  void typeOfObjectOnSelfIsReturnedByFuture() {
    try (RRef<ReferenceSuite.Counter> counter =
        rrefs().remote(self(), ReferenceSuite.Counter::new, 1)) {
      assertThat(Rpc.await(counter.typeAsync())).isEqualTo(ReferenceSuite.Counter.class.getName());
    }
  }

  @Test
  @WorkersOnly
  void valueIsThereOnceTheObjectIsMade() {
    try (RRef<Integer> slow = rrefs().remote(self(), Latches::await, key, 1);
        RRef<String> failing = rrefs().remote(self(), ErrorSuite::raise, "no object")) {
      assertThat(slow.hasValue()).isFalse();
      assertThat(rpc().sync(self(), Latches::release, key)).isZero();
      assertThat(slow.toHere()).isEqualTo(1);
      assertThat(slow.hasValue()).isTrue();
      Rpc.await(failing.creation());
      assertThat(failing.hasValue()).isFalse();
      slow.close();
      fails(Status.RREF_CLOSED, slow.id().toString(), slow::hasValue);
    }
  }

  @Test
  @PeerTest("test_rref_type_slow_init")
  void typeFutureCompletesAfterSlowCreation() {
    try (RRef<Integer> slow = rrefs().remote(dst(), Latches::await, key, 1)) {
      CompletableFuture<?> type = slow.typeAsync();
      assertThat(type).isNotDone();
      assertThat(rpc().sync(dst(), Latches::release, key)).isZero();
      assertThat(Rpc.await(type)).isEqualTo(Integer.class.getName());
    }
  }

  @Test
  @PeerTest("test_rref_get_type_timeout_blocking")
  void typeTimesOutDuringSlowCreation() {
    try (RRef<Integer> slow = rrefs().remote(dst(), Latches::await, key, 1)) {
      fails(Status.TIMEOUT, dst(), slow.within(Duration.ofMillis(20))::type);
      assertThat(rpc().sync(dst(), Latches::release, key)).isZero();
      assertThat(slow.type()).isEqualTo(Integer.class.getName());
    }
  }

  @Test
  @PeerTest("test_rref_get_type_timeout_non_blocking")
  void typeFutureTimesOutDuringSlowCreation() {
    try (RRef<Integer> slow = rrefs().remote(dst(), Latches::await, key, 1)) {
      CompletableFuture<?> type = slow.within(Duration.ofMillis(20)).typeAsync();
      fails(Status.TIMEOUT, dst(), () -> Rpc.await(type));
      assertThat(rpc().sync(dst(), Latches::release, key)).isZero();
    }
  }
}
