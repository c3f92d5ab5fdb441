package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of deadlines. Slow functions run until the test releases them. */
@RemoteFunctions
class TimeoutSuite extends PeerSuite {
  private static final Duration SHORT = Duration.ofMillis(20);
  private static final Function<Integer> SLOW = Function.of(Latches::await);

  private final String key = "timeouts " + UUID.randomUUID();

  private void release() {
    assertThat(rpc().sync(dst(), Latches::release, key)).isZero();
  }

  @Test
  @PeerTest("test_default_timeout_used")
  void defaultTimeoutEndsCallsUnlessOverridden() {
    Rpc hasty = rpc().within(Duration.ofMillis(1));
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(hasty.async(dst(), SLOW, key, i));
    }
    calls.forEach(call -> fails(Status.TIMEOUT, dst(), () -> Rpc.await(call)));
    CompletableFuture<Integer> patient =
        rpc().within(Duration.ofSeconds(200)).async(dst(), SLOW, key, 1);
    CompletableFuture<Integer> endless = rpc().within(Duration.ZERO).async(dst(), SLOW, key, 2);
    fails(Status.TIMEOUT, dst(), () -> hasty.sync(dst(), SLOW, key, 3));
    assertThat(patient).isNotDone();
    assertThat(endless).isNotDone();
    release();
    assertThat(patient.join()).isEqualTo(1);
    assertThat(endless.join()).isEqualTo(2);
  }

  @Test
  @PeerTest({"test_rpc_timeouts", "test_timeout_in_torchscript_function", "test_timeout_in_python"})
  void callTimesOutAtItsDeadline() {
    Rpc hasty = rpc().within(SHORT);
    CompletableFuture<Integer> call = hasty.async(dst(), SLOW, key, 1);
    fails(Status.TIMEOUT, dst(), () -> Rpc.await(call));
    assertThat(fails(Status.TIMEOUT, dst(), () -> hasty.sync(dst(), SLOW, key, 1)).mayHaveRun())
        .isTrue();
    CompletableFuture<Integer> normal = rpc().async(dst(), SLOW, key, 1);
    CompletableFuture<Integer> longer =
        hasty.within(Duration.ofSeconds(20)).async(dst(), SLOW, key, 2);
    CompletableFuture<Integer> endless = hasty.within(Duration.ZERO).async(dst(), SLOW, key, 3);
    release();
    assertThat(normal.join() + longer.join() + endless.join()).isEqualTo(6);
  }

  @Test
  @PeerTest({"test_rref_timeout", "test_remote_timeout_to_here_in_jit"})
  void creationTimesOutAtItsDeadline() {
    try (RRef<Integer> rref = rrefs().remote(SHORT, dst(), SLOW, key, 1)) {
      fails(Status.RREF_TIMED_OUT, dst(), () -> Rpc.await(rref.creation()));
      fails(Status.RREF_TIMED_OUT, dst(), rref::toHere);
      release();
      fails(Status.RREF_TIMED_OUT, dst(), rref::toHere); // A late object is not kept.
    }
  }

  /** Object with a slow method and an optional slow creation. */
  @RemoteFunctions
  static final class Slow {
    Slow() {}

    static Slow made(String key) throws InterruptedException {
      Latches.await(key, 0);
      return new Slow();
    }

    int method(String key, int value) throws InterruptedException {
      return Latches.await(key, value);
    }
  }

  @Test
  @PeerTest("test_rref_proxy_timeout")
  void callThroughReferenceTimesOutAtItsDeadline() {
    try (RRef<Slow> rref = rrefs().remote(dst(), Slow::new)) {
      timesOutThreeWays(rref.within(SHORT));
    }
    String made = key + " made";
    try (RRef<Slow> rref = rrefs().remote(dst(), Slow::made, made)) {
      timesOutThreeWays(rref.within(SHORT));
      assertThat(rpc().sync(dst(), Latches::release, made)).isZero();
      release();
      assertThat(rref.sync(Slow::method, key, 5)).isEqualTo(5);
    }
  }

  private void timesOutThreeWays(RRef<Slow> rref) {
    fails(Status.TIMEOUT, dst(), () -> rref.sync(Slow::method, key, 1));
    CompletableFuture<Integer> call = rref.async(Slow::method, key, 1);
    fails(Status.TIMEOUT, dst(), () -> Rpc.await(call));
    try (RRef<Integer> result = rref.remote(Slow::method, key, 1)) {
      fails(Status.RREF_TIMED_OUT, dst(), result::toHere);
    }
  }
}
