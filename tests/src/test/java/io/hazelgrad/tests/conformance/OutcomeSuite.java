package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests of the ends of calls that the peer does not have: whether the function may have run, the
 * wrong value and the failing worker.
 */
@RemoteFunctions
class OutcomeSuite extends PeerSuite {
  private final String key = "outcomes " + UUID.randomUUID();

  static Object same(Object value) {
    return value;
  }

  @Test
  void argumentIsNamedByPathWhenItCannotTravel() {
    Function<Object> same = Function.of(OutcomeSuite::same);
    Object bad = List.of(1, Map.of("key", new Thread("never started")));
    GridException failure =
        fails(Status.BAD_VALUE, "argument 0", () -> rpc().sync(dst(), same, bad));
    assertThat(failure).hasMessageContaining("[1]").hasMessageContaining("key");
    assertThat(failure).hasMessageContaining(Thread.class.getName());
    assertThat(failure.mayHaveRun()).isFalse();
  }

  static Object badResult() {
    return List.of(1, new Thread("never started"));
  }

  @Test
  void callHasRunWhenResultCannotTravel() {
    GridException failure =
        fails(Status.BAD_VALUE, "the result", () -> rpc().sync(dst(), OutcomeSuite::badResult));
    assertThat(failure.mayHaveRun()).isTrue();
  }

  @Test
  void callHasNotRunWhenRefused() {
    assertThat(
            fails(
                    Status.NOT_ALLOWED,
                    "Runtime",
                    () -> rpc().sync(dst(), Function.named(Runtime.class, "getRuntime")))
                .mayHaveRun())
        .isFalse();
    assertThat(
            fails(Status.UNKNOWN_WORKER, "nobody", () -> rpc().sync("nobody", PeerSuite::self))
                .mayHaveRun())
        .isFalse();
  }

  /** A failure two calls away names the worker and the function. */
  @Test
  void errorNamesWorkerAndFunctionOfNestedCall() {
    GridException failure =
        fails(Status.USER_ERROR, "nested", () -> rpc().sync(dst(), OutcomeSuite::pass, dst(2)));
    assertThat(failure.remote().worker()).isEqualTo(dst(2));
    assertThat(failure.remote().stack()).anyMatch(frame -> frame.contains("ErrorSuite.raise"));
  }

  static String pass(String to) {
    return rpc().sync(to, ErrorSuite::raise, "nested");
  }

  /** The deadline travels with the call: the callee stops waiting when its caller does. */
  @Test
  void deadlineEndsCallOnCallee() {
    CompletableFuture<Integer> call =
        rpc().within(Duration.ofMillis(100)).async(dst(), Function.async(OutcomeSuite::forever));
    fails(Status.TIMEOUT, dst(), () -> Rpc.await(call));
    Function<Integer> active = Function.of(OutcomeSuite::callsBeside);
    int expected = isClient() ? 1 : 2;
    Await.until(
        Duration.ofSeconds(20),
        () -> {
          int found = rpc().sync(dst(), active, expected);
          return found == 0 ? "" : found + " calls besides the test's own are served by " + dst();
        });
  }

  static CompletableFuture<Integer> forever() {
    return new CompletableFuture<>();
  }

  /** Returns how many calls this worker serves besides the expected ones. */
  static int callsBeside(int expected) {
    return Math.max(0, grid().activeCalls() - expected);
  }

  @Test
  void callEndsAtOnceWhenCancelled() {
    CompletableFuture<Integer> call = rpc().async(dst(), Latches::await, key, 1);
    assertThat(call.cancel(true)).isTrue();
    assertThat(call).isCancelled();
    assertThat(rpc().sync(dst(), Latches::release, key)).isZero();
  }
}
