package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hazelgrad.grid.CallScope;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Tests of waiting for many calls: a scope waits for all, {@code awaitAll} ends at the first
 * failure.
 */
@RemoteFunctions
class WaitAllSuite extends PeerSuite {
  private static final Function<Integer> NEVER = Function.named(WaitAllSuite.class, "never");

  /** Returns a stage that never completes. */
  static CompletionStage<Integer> never() {
    return new CompletableFuture<>();
  }

  private static void noScopeIsLeft() {
    CompletableFuture<String> later = new CompletableFuture<>();
    assertThat(CallScope.collect(later)).isSameAs(later);
    try (CallScope scope = CallScope.open(Duration.ofMillis(1))) {
      assertThat(scope.size()).isZero();
    }
  }

  @Test
  @PeerTest("test_wait_all")
  void scopeWaitsForItsCall() {
    CompletableFuture<Integer> call;
    try (CallScope scope = CallScope.open()) {
      call = rpc().async(dst(), FutureSuite::plus, 1, 1);
      assertThat(scope.size()).isEqualTo(1);
    }
    assertThat(call).isCompletedWithValue(2);
    noScopeIsLeft();
  }

  @Test
  @PeerTest("test_wait_all_multiple_call")
  void scopeWaitsForAllItsCalls() {
    List<CompletableFuture<Integer>> calls = new ArrayList<>();
    try (CallScope scope = CallScope.open()) {
      for (int i = 0; i < 20; i++) {
        calls.add(rpc().async(dst(), FutureSuite::plus, i, 1));
        assertThat(rpc().sync(dst(), FutureSuite::plus, i, 2)).isEqualTo(i + 2);
      }
      assertThat(scope.size()).isEqualTo(20);
    }
    assertThat(calls).allMatch(CompletableFuture::isDone);
    noScopeIsLeft();
  }

  @Test
  @PeerTest("test_wait_all_timeout")
  void scopeFailsWhenCallTimesOut() {
    fails(
        Status.TIMEOUT,
        "never",
        () -> {
          try (CallScope scope = CallScope.open()) {
            var unused = rpc().within(Duration.ofMillis(100)).async(dst(), NEVER);
          }
        });
    noScopeIsLeft();
  }

  @Test
  @PeerTest("test_wait_all_raise_in_user_func")
  void scopeFailsWhenFunctionThrows() {
    fails(
        Status.USER_ERROR,
        "expected error",
        () -> {
          try (CallScope scope = CallScope.open()) {
            var unused = rpc().async(dst(), ErrorSuite::raise, "expected error");
          }
        });
    noScopeIsLeft();
  }

  @Test
  @PeerTest("test_wait_all_raise_in_body")
  void scopeIsClosedWhenBodyThrows() {
    assertThat(
            catchThrowable(
                () -> {
                  try (CallScope scope = CallScope.open()) {
                    throw new IllegalStateException("in the body");
                  }
                }))
        .hasMessage("in the body");
    noScopeIsLeft();
  }

  @Test
  @PeerTest("test_wait_all_exit_early_python")
  void awaitAllFailsAtOnceWhenFunctionThrows() {
    CompletableFuture<?> never = rpc().async(dst(), NEVER);
    fails(
        Status.USER_ERROR,
        "early",
        () ->
            Rpc.awaitAll(
                List.of(
                    never,
                    rpc().async(dst(), ErrorSuite::raise, "early"),
                    rpc().async(dst(), ErrorSuite::raise, "early"))));
    assertThat(never).isNotDone();
    never.cancel(true);
  }

  @Test
  @PeerTest("test_wait_all_exit_early_builtin")
  void awaitAllFailsAtOnceWhenOperatorFails() {
    CompletableFuture<?> never = rpc().async(dst(), NEVER);
    Tensor two = Tensor.of(new double[] {1, 2}, 2);
    Tensor three = Tensor.of(new double[] {1, 2, 3}, 3);
    Throwable thrown =
        catchThrowable(
            () ->
                Rpc.awaitAll(
                    List.of(never, rpc().async(dst(), Function.operator("add"), two, three))));
    assertThat(thrown).hasMessageContaining("add");
    assertThat(never).isNotDone();
    never.cancel(true);
  }

  @Test
  @PeerTest("test_wait_all_with_exception")
  void awaitAllFailsWhenAllCallsFail() {
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(rpc().async(dst(), ErrorSuite::raise, "expected error"));
    }
    fails(Status.USER_ERROR, "expected error", () -> Rpc.awaitAll(calls));
  }

  @Test
  @PeerTest("test_wait_all_with_partial_exception")
  void awaitAllFailsWhenOneCallFails() {
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(rpc().async(dst(), FutureSuite::plus, i, i));
    }
    calls.add(rpc().async(dst(), ErrorSuite::raise, "expected error"));
    fails(Status.USER_ERROR, "expected error", () -> Rpc.awaitAll(calls));
  }
}
