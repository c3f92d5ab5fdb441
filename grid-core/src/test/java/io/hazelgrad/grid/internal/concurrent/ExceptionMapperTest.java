package io.hazelgrad.grid.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.OperationTimeoutException;
import io.hazelgrad.grid.Calls;
import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.OnTwoWorkers;
import io.hazelgrad.grid.ProbeExtension;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Signals;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.function.MethodFunction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What callers hear when something goes wrong; {@code bob} runs one function at a time. */
class ExceptionMapperTest extends OnTwoWorkers {
  @BeforeAll
  static void join() {
    join(
        HazelgradConfig.named("alice").callTimeout(Duration.ofSeconds(30)),
        HazelgradConfig.named("bob").maxRunning(1).functions(Integer.class));
  }

  private static GridException failure(Status status, ThrowingCallable attempt) {
    GridException failure = catchThrowableOfType(GridException.class, attempt);
    assertThat(failure).isNotNull();
    assertThat(failure.status()).as("%s", failure).isEqualTo(status);
    return failure;
  }

  private static GridException failureOf(Status status, CompletableFuture<?> call) {
    return failure(status, () -> Rpc.await(call));
  }

  @Test
  void exceptionArrivesWithClassMessageStackAndWorker() {
    for (String to : List.of("bob", "alice")) {
      GridException failed =
          failure(Status.USER_ERROR, () -> rpc.sync(to, Calls::throwing, "checked"));
      assertThat(failed).cause().isInstanceOf(IOException.class).hasMessage("disk\nfull");
      assertThat(failed).hasMessageContainingAll("Calls::throwing", "worker " + to, "disk\nfull");
      assertThat(failed.mayHaveRun()).isTrue();
      assertThat(failed.remote().worker()).isEqualTo(to);
      assertThat(failed.remote().type()).isEqualTo("java.io.IOException");
      assertThat(failed.remote().message()).isEqualTo("disk\nfull");
      assertThat(failed.remote().stack()).hasSize(1);
      assertThat(failed.remote().stack().get(0)).contains("Calls.throwing(Calls.java:");
      assertThat(failed.getStackTrace())
          .as("says who called")
          .anyMatch(frame -> frame.getClassName().equals(ExceptionMapperTest.class.getName()));
    }
  }

  @Test
  void throwablesOfEveryKindArrive() {
    GridException odd = failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::throwing, "odd"));
    assertThat(odd).hasNoCause().hasMessageContaining("Calls$OddException: code 7");
    assertThat(odd.remote().message()).isEqualTo("code 7");
    assertThat(failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::throwing, "error")))
        .hasCauseInstanceOf(StackOverflowError.class);
    assertThat(failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::throwing, "cast")))
        .cause()
        .isInstanceOf(ClassCastException.class)
        .hasMessage("my own");
    assertThat(failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::throwing, "null")))
        .hasCauseInstanceOf(IllegalStateException.class);
    GridException caused =
        failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::throwing, "caused"));
    assertThat(caused.remote().stack())
        .anyMatch(line -> line.equals("Caused by: java.io.IOException: inner"));
  }

  /** As a client reports that a member did not answer when it asked for the news of a map. */
  @Test
  void timeoutOfAListenerIsATimeout() {
    GridException late =
        ExceptionMapper.of(
            new HazelcastException(
                "Listener can not be added", new OperationTimeoutException("no answer")));
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    assertThat(late).hasMessageContaining("no answer");
    GridException other = ExceptionMapper.of(new HazelcastException("as it is"));
    assertThat(other.status()).isEqualTo(Status.INTERNAL);
  }

  @Test
  void failureMayBeReadTwice() {
    CompletableFuture<String> call = rpc.async("bob", Calls::throwing, "again");
    for (int i = 0; i < 2; i++) {
      assertThat(catchThrowable(call::get))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(GridException.class);
      assertThat(catchThrowable(call::join)).isInstanceOf(CompletionException.class);
      failureOf(Status.USER_ERROR, call);
    }
    assertThat(call).isCompletedExceptionally();
  }

  @Test
  void failureNamesPlaceOfNestedCall() {
    GridException failed =
        failure(
            Status.USER_ERROR,
            () -> rpc.sync("alice", Function.named(Nested.class, "fails", String.class), "bob"));
    assertThat(failed.remote().worker()).isEqualTo("bob");
    assertThat(failed).hasMessageContaining("nested");
  }

  /** Calls what fails. */
  @RemoteFunctions
  static final class Nested {
    private Nested() {}

    static String fails(String to) {
      return Grid.current().rpc().sync(to, Calls::throwing, "nested");
    }
  }

  @Test
  void argumentsAreRefusedBeforeFunctionRunsWhenTheyDoNotFit() {
    Function<Double> add = Function.of(Calls::add);
    GridException wrong = failure(Status.BAD_ARGUMENT, () -> rpc.sync("bob", add, "a", 1.0));
    assertThat(wrong).hasMessageContainingAll("Calls::add(double, double)", "[java.lang.String, ");
    assertThat(wrong.mayHaveRun()).isFalse();
    failure(Status.BAD_ARGUMENT, () -> rpc.sync("bob", add));
    failure(Status.BAD_ARGUMENT, () -> rpc.sync("bob", add, 1.0, 2.0, 3.0));
    failure(Status.BAD_ARGUMENT, () -> rpc.sync("bob", add, 1.0, null));
    assertThat(failure(Status.USER_ERROR, () -> rpc.sync("bob", Calls::length, null)))
        .as("null is a string, so this is the function's own failure")
        .hasCauseInstanceOf(NullPointerException.class);
  }

  @Test
  void callThrowsAtOnceWhenInvalid() {
    assertThat(failure(Status.UNKNOWN_WORKER, () -> rpc.async("carol", Calls::worker)))
        .hasMessageContainingAll("could not find destination \"carol\"", "[alice, bob]");
    assertThat(
            failure(
                Status.BAD_VALUE, () -> rpc.async("bob", Calls::echo, new CompletableFuture<>())))
        .hasMessageContaining("a future cannot travel");
    assertThat(failure(Status.BAD_ARGUMENT, () -> rpc.within(Duration.ofMillis(-1))))
        .hasMessageContaining("must not be negative");
    assertThat(
            failure(
                Status.WORKER_LOST,
                () ->
                    rpc.async(new Worker("dave", 99, new UUID(1, 1)), Function.of(Calls::worker))))
        .hasMessageContaining("worker dave (id 99) has left");
  }

  @Test
  void callFailsWhenCalleeLacksOrForbidsFunction() {
    assertThat(
            failure(
                Status.UNKNOWN_FUNCTION,
                () -> rpc.sync("bob", new MethodFunction<>("no.Such", "f", "()V"))))
        .hasMessageContaining("code does not travel");
    assertThat(
            failure(
                Status.UNKNOWN_FUNCTION,
                () -> rpc.sync("bob", new MethodFunction<>(Calls.class.getName(), "f", "()V"))))
        .hasMessageContaining("does not exist on this worker");
    assertThat(
            failure(
                Status.NOT_ALLOWED,
                () -> rpc.sync("bob", Function.named(System.class, "exit", int.class), 0)))
        .hasMessageContainingAll("java.lang.System", "functions(...)");
    assertThat(
            rpc.<Object>sync("bob", Function.named(Integer.class, "parseInt", String.class), "7"))
        .isEqualTo(7);
    failure(
        Status.NOT_ALLOWED,
        () -> rpc.sync("alice", Function.named(Integer.class, "parseInt", String.class), "7"));
    failure(Status.NOT_ALLOWED, () -> rpc.sync("bob", Function.named(Calls.class, "secret")));
  }

  @Test
  void resultIsRefusedAndNamedByCalleeWhenItCannotTravel() {
    GridException refused = failure(Status.BAD_VALUE, () -> rpc.sync("bob", Calls::unsendable));
    assertThat(refused)
        .hasMessageContainingAll("Calls::unsendable()", "worker bob", "the result", "Object");
    assertThat(refused.mayHaveRun()).isTrue();
  }

  @Test
  void callEndsAtDeadlineWhenFunctionRunsLonger() {
    CompletableFuture<String> call =
        rpc.within(Duration.ofMillis(300)).async("bob", Calls::block, "too long");
    Signals.named("too long").awaitStarted();
    GridException late = failureOf(Status.TIMEOUT, call);
    assertThat(late).hasMessageContainingAll("Calls::block", "worker bob", "deadline of 300 ms");
    assertThat(late.mayHaveRun()).isTrue();
    Signals.named("too long").release();
  }

  @Test
  void callNeverStartsWhenDeadlinePassesInQueue() {
    CompletableFuture<String> first = rpc.async("bob", Calls::block, "first");
    Signals.named("first").awaitStarted();
    failureOf(
        Status.TIMEOUT,
        rpc.within(Duration.ofMillis(100)).async("bob", Function.action(Calls::mark), "queued"));
    Eventually.until("the callee gave the queued call up", () -> bob.activeCalls() == 1);
    Signals.named("first").release();
    assertThat(first.join()).isEqualTo("released");
    assertThat(rpc.sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(Signals.named("queued").started).hasValue(0);
  }

  @Test
  void zeroIsNoDeadline() {
    CompletableFuture<String> call =
        rpc.within(Duration.ZERO).async("bob", Calls::block, "no deadline");
    Signals.named("no deadline").awaitStarted();
    assertThat(call).isNotDone();
    Signals.named("no deadline").release();
    assertThat(call.join()).isEqualTo("released");
    assertThat(rpc.within(Duration.ofSeconds(Long.MAX_VALUE)).sync("bob", Calls::worker))
        .isEqualTo("bob");
  }

  @Test
  void callEndsWhenDeadlineIsImpossible() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      calls.add(rpc.within(Duration.ofNanos(1 + i * 1000L)).async("bob", Calls::worker));
    }
    for (CompletableFuture<String> call : calls) {
      Throwable failure = catchThrowable(() -> Rpc.await(call));
      if (failure != null) {
        assertThat(((GridException) failure).status()).isEqualTo(Status.TIMEOUT);
      }
    }
  }

  @Test
  void futureEndsWhenCancelled() {
    CompletableFuture<String> call = rpc.async("bob", Calls::block, "cancelled");
    Signals.named("cancelled").awaitStarted();
    assertThat(alice.outstandingCalls()).isEqualTo(1);
    assertThat(call.cancel(true)).isTrue();
    assertThat(alice.outstandingCalls()).isZero();
    assertThat(call).isCancelled();
    failureOf(Status.CANCELLED, call);
    Signals.named("cancelled").release();
  }

  @Test
  void callEndsWhenFutureIsCompletedByCaller() {
    CompletableFuture<String> call = rpc.within(Duration.ZERO).async("bob", Calls::block, "other");
    Signals.named("other").awaitStarted();
    assertThat(catchThrowable(() -> call.orTimeout(1, TimeUnit.MILLISECONDS).join()))
        .hasCauseInstanceOf(TimeoutException.class);
    Eventually.until("the call is over", () -> alice.outstandingCalls() == 0);
    Signals.named("other").release();
  }

  @Test
  void callEndsAtDeadlineWhenStageNeverCompletes() {
    ProbeExtension.Probe.of(bob).events.clear();
    CompletableFuture<String> call =
        rpc.within(Duration.ofMillis(200)).async("bob", Function.async(Calls::later), "never");
    failureOf(Status.TIMEOUT, call);
    Eventually.until(
        "the callee's thread is free again",
        () -> ProbeExtension.Probe.of(bob).events.contains("threw TIMEOUT request"));
  }
}
