package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.tests.PeerTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the futures of calls and of derived futures. */
@RemoteFunctions
class FutureSuite extends PeerSuite {
  static int plus(int a, int b) {
    return a + b;
  }

  private static CompletableFuture<Integer> two() {
    return rpc().async(dst(), FutureSuite::plus, 1, 1);
  }

  private static CompletableFuture<String> failing() {
    return rpc().async(dst(), ErrorSuite::raise, "expected error");
  }

  @Test
  @PeerTest("test_callback_simple")
  void callbackReceivesResult() {
    CompletableFuture<Integer> future = two();
    assertThat(future.thenApply(value -> value + 1).join()).isEqualTo(3);
    assertThat(future.join()).isEqualTo(2);
  }

  /** Java's compiler checks the number of arguments, so the callback throws instead. */
  @Test
  @PeerTest("test_callback_wrong_arg_num")
  void callbackFailureLeavesFutureIntact() {
    CompletableFuture<Integer> future = two();
    CompletableFuture<Integer> derived =
        future.thenApply(
            value -> {
              throw new IllegalArgumentException("my callback takes two");
            });
    assertThatThrownBy(derived::join).hasRootCauseMessage("my callback takes two");
    assertThat(future.join()).isEqualTo(2);
  }

  /** A cast prevents the compiler's check of the type. */
  @Test
  @PeerTest("test_callback_wrong_arg_type")
  @SuppressWarnings({"unchecked", "rawtypes"}) // This is what the test is about.
  void callbackFailsWhenTypeIsWrong() {
    CompletableFuture<Integer> future = two();
    CompletableFuture<String> lied = (CompletableFuture) future;
    assertThatThrownBy(() -> lied.thenApply(String::length).join())
        .hasCauseInstanceOf(ClassCastException.class);
    assertThat(future.join()).isEqualTo(2);
  }

  @Test
  @PeerTest("test_callback_multi")
  void callbacksAllReceiveResult() {
    CompletableFuture<Integer> future = two();
    List<CompletableFuture<Integer>> derived = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      int n = i;
      derived.add(future.thenApply(value -> value + n));
    }
    for (int i = 0; i < 10; i++) {
      assertThat(derived.get(i).join()).isEqualTo(2 + i);
    }
  }

  @Test
  @PeerTest("test_callback_chain")
  void callbacksRunAsChain() {
    CompletableFuture<Integer> future = two();
    for (int i = 0; i < 20; i++) {
      future = future.thenApply(value -> value + 1);
    }
    assertThat(future.join()).isEqualTo(22);
  }

  @Test
  @PeerTest("test_callback_in_rpc")
  void callbackRunsOnCallee() {
    assertThat(rpc().sync(dst(), FutureSuite::plusLater, dst(2), 1)).isEqualTo(3);
  }

  static int plusLater(String to, int n) {
    return rpc().async(to, FutureSuite::plus, n, n).thenApply(value -> value + 1).join();
  }

  @Test
  @PeerTest("test_callback_with_ret")
  void callbackMakesCall() {
    Rpc rpc = rpc();
    String to = dst(2);
    CompletableFuture<Integer> sum =
        two().thenApply(value -> rpc.sync(to, FutureSuite::plus, value, 1));
    assertThat(sum.join()).isEqualTo(3);
  }

  @Test
  @PeerTest("test_callback_with_error")
  void callbackReceivesErrorAndThrowsAnother() {
    CompletableFuture<String> future = failing();
    CompletableFuture<String> derived =
        future.handle(
            (value, failure) -> {
              assertThat(failure).hasMessageContaining("expected error");
              throw new IllegalStateException("another error");
            });
    assertThatThrownBy(derived::join).hasRootCauseMessage("another error");
    fails(Status.USER_ERROR, "expected error", () -> Rpc.await(future));
  }

  @Test
  @PeerTest("test_callback_none")
  void callbackIsRefusedWhenNull() {
    CompletableFuture<Integer> future = two();
    assertThatNullPointerException().isThrownBy(() -> future.thenApply(null));
    assertThat(future.join()).isEqualTo(2);
  }

  /**
   * Callbacks on one future run in any order. A callback that depends on another one hangs on its
   * result.
   */
  @Test
  @PeerTest("test_add_done_callback")
  void dependentCallbackRunsAfterItsSource() {
    AtomicInteger ran = new AtomicInteger();
    CompletableFuture<Integer> first = two().whenComplete((value, failure) -> ran.addAndGet(value));
    assertThat(first.thenApply(value -> ran.get()).join()).isEqualTo(2);
  }

  @Test
  @PeerTest("test_mark_future_twice")
  void futureKeepsResultWhenCompletedAgain() {
    CompletableFuture<Integer> future = two();
    assertThat(future.join()).isEqualTo(2);
    assertThat(future.complete(3)).as("completed once only").isFalse();
    assertThat(future.join()).isEqualTo(2);
  }

  @Test
  @PeerTest("test_pickle_future")
  void futureIsRefusedAsArgument() {
    Function<String> raise = Function.named(FutureSuite.class, "take", Future.class);
    CompletableFuture<Integer> future = two();
    fails(Status.BAD_VALUE, "argument 0", () -> rpc().sync(dst(), raise, future));
    fails(Status.BAD_VALUE, "argument 0", () -> rpc().async(dst(), raise, future));
    fails(Status.BAD_VALUE, "argument 0", () -> rrefs().remote(dst(), raise, future).close());
    assertThat(future.join()).isEqualTo(2);
  }

  static String take(Future<?> future) {
    return future.toString();
  }

  private static final Function<Object> FUTURE = Function.named(FutureSuite.class, "future");

  /**
   * A method that returns a stage is an async function. A future of any other kind cannot travel.
   */
  @Test
  @PeerTest("test_return_future")
  void futureIsRefusedAsResultOfSync() {
    fails(Status.BAD_VALUE, "a future cannot travel", () -> rpc().sync(dst(), FUTURE));
  }

  @Test
  @PeerTest("test_return_future_async")
  void futureIsRefusedAsResultOfAsync() {
    CompletableFuture<?> call = rpc().async(dst(), FUTURE);
    fails(Status.BAD_VALUE, "a future cannot travel", () -> Rpc.await(call));
  }

  @Test
  @PeerTest("test_return_future_remote")
  void futureIsRefusedAsObjectOfReference() {
    try (var rref = rrefs().remote(dst(), FUTURE)) {
      fails(Status.BAD_VALUE, "a future cannot travel", rref::toHere);
    }
  }

  static Future<Integer> future() {
    return new FutureTask<>(() -> 1);
  }

  @Test
  @PeerTest("test_future_done")
  void futureIsDoneAfterResult() {
    CompletableFuture<Integer> future = two();
    assertThat(future.join()).isEqualTo(2);
    assertThat(future).isDone().isNotCancelled();
  }

  @Test
  @PeerTest("test_future_done_exception")
  void futureIsDoneAfterError() {
    CompletableFuture<String> future = failing();
    assertThatThrownBy(future::join).isInstanceOf(CompletionException.class);
    assertThat(future).isDone().isCompletedExceptionally();
  }

  /** A callback completes a future that was made by hand. */
  @Test
  @PeerTest("test_future_in_rpc")
  void futureIsCompletedByCallbackOnCallee() {
    assertThat(rpc().sync(dst(), FutureSuite::byHand, dst(2))).isEqualTo(3);
  }

  static int byHand(String to) {
    CompletableFuture<Integer> made = new CompletableFuture<>();
    var unused =
        rpc().async(to, FutureSuite::plus, 1, 1).thenAccept(value -> made.complete(value + 1));
    return Rpc.await(made);
  }

  @Test
  @PeerTest("test_future_nested_callback")
  void callbacksNestOverTwoCalls() {
    Rpc rpc = rpc();
    String to = dst(2);
    CompletableFuture<Integer> sum =
        two()
            .thenCompose(
                value -> rpc.async(to, FutureSuite::plus, value, 1).thenApply(inner -> inner + 1))
            .thenApply(value -> value + 1);
    assertThat(sum.join()).isEqualTo(5);
  }
}
