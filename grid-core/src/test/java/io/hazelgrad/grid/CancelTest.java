package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What cancelling a call does on its callee; {@code bob} runs one function at a time. */
@RemoteFunctions
class CancelTest extends OnTwoWorkers {
  @BeforeAll
  static void join() {
    join(HazelgradConfig.named("alice"), HazelgradConfig.named("bob").maxRunning(1));
  }

  private static Cancellation cancelled(CompletableFuture<?> call) throws Exception {
    Cancellation outcome = Rpc.cancel(call).get(20, TimeUnit.SECONDS);
    assertThat(call).isCancelled();
    return outcome;
  }

  @Test
  void queuedCallNeverRunsWhenCancelled() throws Exception {
    CompletableFuture<String> running = rpc.async("bob", Calls::block, "cancel holds bob");
    Signals.named("cancel holds bob").awaitStarted();
    CompletableFuture<?> queued = rpc.async("bob", Function.action(Calls::mark), "cancel queued");
    assertThat(cancelled(queued)).isEqualTo(Cancellation.NEVER_RAN);
    Signals.named("cancel holds bob").release();
    assertThat(running.join()).isEqualTo("released");
    assertThat(rpc.sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(Signals.named("cancel queued").started).hasValue(0);
  }

  @Test
  void runningFunctionIsInterruptedAndNextOneIsNot() throws Exception {
    for (int i = 0; i < 20; i++) {
      String signal = "cancel running " + i;
      CompletableFuture<String> call = rpc.async("bob", Calls::block, signal);
      Signals.named(signal).awaitStarted();
      assertThat(cancelled(call)).isEqualTo(Cancellation.INTERRUPTED);
      assertThat(rpc.sync("bob", CancelTest::isInterrupted)).isFalse();
    }
  }

  /** Says whether the interrupt of another call has hit this one. */
  static boolean isInterrupted() {
    return Thread.interrupted();
  }

  @Test
  void stageOfAsyncFunctionIsCancelled() throws Exception {
    CompletableFuture<String> call = rpc.async("bob", Function.async(Calls::later), "cancel stage");
    Signals.named("cancel stage").awaitStarted();
    Eventually.until("bob's thread is free", () -> rpc.sync("bob", Calls::worker).equals("bob"));
    assertThat(cancelled(call)).isEqualTo(Cancellation.INTERRUPTED);
    assertThat(Signals.named("cancel stage").answer).isCancelled();
  }

  @Test
  void callEndsInOneOfThreeWaysWhenCancelledAtOnce() throws Exception {
    List<CompletableFuture<Cancellation>> outcomes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      outcomes.add(Rpc.cancel(rpc.async("bob", Function.action(Calls::mark), "cancel race " + i)));
    }
    int never = 0;
    for (int i = 0; i < 500; i++) {
      Cancellation outcome = outcomes.get(i).get(20, TimeUnit.SECONDS);
      if (outcome == Cancellation.NEVER_RAN) {
        never++;
        assertThat(Signals.named("cancel race " + i).started).as("call %s", i).hasValue(0);
      }
    }
    assertThat(never).as("some had to wait for their turn").isPositive();
  }

  @Test
  void endedCallStaysUnchangedWhenCancelled() throws Exception {
    CompletableFuture<String> call = rpc.async("bob", Calls::worker);
    assertThat(call.join()).isEqualTo("bob");
    assertThat(Rpc.cancel(call).get(20, TimeUnit.SECONDS)).isEqualTo(Cancellation.HAD_ENDED);
    assertThat(call).isCompletedWithValue("bob");
  }

  @Test
  void callIsCancelledWhenFutureIsCompletedOtherwise() throws Exception {
    CompletableFuture<String> call = rpc.async("bob", Calls::block, "cancel by value");
    Signals.named("cancel by value").awaitStarted();
    assertThat(call.complete("not needed any more")).isTrue();
    assertThat(Rpc.cancel(call).get(20, TimeUnit.SECONDS)).isEqualTo(Cancellation.INTERRUPTED);
    assertThat(call.join()).isEqualTo("not needed any more");
  }

  @Test
  void onlyCallsAreCancelled() {
    CompletableFuture<Integer> derived = rpc.async("bob", Calls::worker).thenApply(String::length);
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> Rpc.cancel(derived))
        .withMessageContaining("that async(...) returned")
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT));
    assertThat(derived.join()).isEqualTo(3);
  }

  @Test
  void blockingCallCancelsItselfWhenInterrupted() throws Exception {
    CompletableFuture<Status> status = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                status.completeExceptionally(
                    new AssertionError(rpc.sync("bob", Calls::block, "cancel sync")));
              } catch (GridException e) {
                status.complete(e.status());
              }
            });
    waiting.start();
    Signals.named("cancel sync").awaitStarted();
    waiting.interrupt();
    assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(Status.CANCELLED);
    assertThat(rpc.sync("bob", Calls::worker)).as("bob is free again").isEqualTo("bob");
  }
}
