package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two workers, {@code alice} and {@code bob}, each with two permits. */
class CallsTest extends OnTwoWorkers {
  @BeforeAll
  static void join() {
    join(HazelgradConfig.named("alice").maxRunning(2), HazelgradConfig.named("bob").maxRunning(2));
  }

  @Test
  void workersSeeEachOther() {
    assertThat(alice.workers()).containsExactly(alice.worker(), bob.worker());
    assertThat(bob.worker("alice")).isEqualTo(alice.worker());
    assertThat(alice.worker().id()).isLessThan(bob.worker().id());
    assertThat(alice.worker().incarnation())
        .isEqualTo(alice.hazelcast().getCluster().getLocalMember().getUuid());
  }

  @Test
  void functionRunsOnAnotherWorkerAndOnCaller() throws Exception {
    for (String to : List.of("bob", "alice")) {
      assertThat(rpc.sync(to, Calls::worker)).isEqualTo(to);
      assertThat(rpc.async(to, Calls::add, 1.0, 2.0).get()).isEqualTo(3);
      assertThat(rpc.sync(to, Calls::describe, "a", 1, List.of(true))).isEqualTo("a1[true]");
      assertThat(rpc.<Object>sync(to, Function.named(Calls.class, "overloaded", int.class), 5))
          .isEqualTo("int 5");
    }
  }

  @Test
  void workerIsDestinationAndArgument() {
    assertThat(rpc.sync(bob.worker(), Function.of(Calls::worker))).isEqualTo("bob");
    assertThat(rpc.sync("bob", Calls::workerOf, alice.worker())).isEqualTo(alice.worker());
  }

  @Test
  void operatorIsCheckedByCallerAndRunsOnCallee() {
    Tensor one = Tensor.of(new double[] {1, 2}, 2);
    Function<Tensor> add = Function.operator("add");
    assertThat(rpc.sync("bob", add, one, one)).isEqualTo(Tensor.of(new double[] {2, 4}, 2));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> rpc.async("bob", add, one))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> rpc.async("bob", Function.operator("no"), one))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.UNKNOWN_FUNCTION));
  }

  @Test
  void actionReturnsNull() {
    assertThat(rpc.sync("bob", Function.action(Calls::mark), "action")).isNull();
    assertThat(Signals.named("action").started).hasValue(1);
  }

  @Test
  void valuesOfAllSizesReturnInTheirFutures() {
    List<CompletableFuture<Object>> echoes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      echoes.add(rpc.async("bob", Calls::echo, Tensor.full(DType.FLOAT32, i, i, i)));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(echoes.get(i).join()).isEqualTo(Tensor.full(DType.FLOAT32, i, i, i));
    }
    assertThat(rpc.sync("bob", Calls::echo, (Object) null)).isNull();
  }

  @Test
  void largeTensorTravels() {
    Tensor large = Tensor.full(DType.FLOAT32, 1.5, 1 << 20);
    assertThat(rpc.sync("bob", Calls::echo, large)).isEqualTo(large);
  }

  @Test
  void calleeCallsItsCaller() {
    assertThat(rpc.sync("bob", Calls::askBack, "alice")).isEqualTo("alice");
    assertThat(rpc.sync("alice", Calls::askBack, "alice")).isEqualTo("alice");
  }

  @Test
  void hundredNestedCallsNeedTwoPermits() {
    assertThat(rpc.sync("bob", Calls::countDown, "alice", 100)).isEqualTo(100);
  }

  @Test
  void hundredConcurrentCallsBackDoNotBlockEachOther() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(rpc.async("bob", Calls::askBack, "alice"));
    }
    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("alice"));
  }

  @Test
  void thousandConcurrentCallsEnd() {
    List<CompletableFuture<Double>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(rpc.async("bob", Calls::add, (double) i, 1.0));
    }
    for (int i = 0; i < 1000; i++) {
      assertThat(calls.get(i).join()).isEqualTo(i + 1);
    }
  }

  @Test
  void stageIsAwaitedWithoutPermit() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) { // more than permits
      calls.add(rpc.async("bob", Function.async(Calls::later), "later"));
    }
    Eventually.until("all have started", () -> Signals.named("later").started.get() == 5);
    assertThat(rpc.sync("bob", Calls::worker)).isEqualTo("bob");
    Signals.named("later").answer.complete("at last");
    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("at last"));
    assertThat(rpc.sync("bob", Function.async(Calls::addElsewhere), "alice", 1.0, 2.0))
        .isEqualTo(4);
  }

  @Test
  void functionFailsWhenItsStageFails() {
    Signals.named("fails").answer.completeExceptionally(new IllegalStateException("no luck"));
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> rpc.sync("bob", Function.async(Calls::later), "fails"))
        .withCauseInstanceOf(IllegalStateException.class)
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.USER_ERROR));
  }

  @Test
  void callbackMayCallAndWait() {
    AtomicReference<String> thread = new AtomicReference<>("");
    CompletableFuture<String> name =
        rpc.async("bob", Calls::block, "callback")
            .thenApply(
                released -> {
                  thread.set(Thread.currentThread().getName());
                  return rpc.sync("bob", Calls::worker) + " " + released;
                });
    Signals.named("callback").release();
    assertThat(name.join()).isEqualTo("bob released");
    assertThat(thread.get()).startsWith("hazelgrad-alice-background-");
  }

  @Test
  void callbacksChainAndFailLikeThoseOfJdkFutures() {
    CompletableFuture<Double> call = rpc.async("bob", Calls::add, 0.0, 0.0);
    CompletableFuture<Double> chain = call;
    for (int i = 0; i < 20; i++) {
      chain = chain.thenApply(sum -> sum + 1);
    }
    assertThat(chain.join()).isEqualTo(20);
    assertThat(call.join()).isZero();
    assertThat(call.thenApplyAsync(sum -> sum + 1).join()).isEqualTo(1);
    assertThat(call.complete(9.0)).isFalse();
    CompletableFuture<String> second =
        rpc.async("bob", Calls::throwing, "first")
            .handle(
                (value, failure) -> {
                  throw new IllegalStateException("second");
                });
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(second::get)
        .withMessageContaining("second");
  }

  @Test
  void functionReleasesPermitWhileWaitingForSeveralCalls() {
    List<CompletableFuture<Object>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(rpc.async("bob", Function.named(Fan.class, "out", String.class), "alice"));
    }
    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("alicealice"));
  }

  /** Waits for two calls at once. */
  @RemoteFunctions
  static final class Fan {
    private Fan() {}

    static String out(String to) {
      Rpc there = Grid.current().rpc();
      CompletableFuture<String> a = there.async(to, Calls::worker);
      CompletableFuture<String> b = there.async(to, Calls::worker);
      Rpc.await(CompletableFuture.allOf(a, b));
      return a.join() + b.join();
    }
  }

  @Test
  void serviceRunsOnItsLane() {
    var context = ProbeExtension.Probe.of(alice).context;
    assertThat(
            context
                .call(bob.worker(), "probe.echo", Arrays.asList("hello"), Duration.ofSeconds(9))
                .join())
        .isEqualTo("hello");
    Signals.named("service").answer.complete("done");
    assertThat(
            context
                .call(bob.worker(), "probe.waiting", List.of("service"), Duration.ofSeconds(9))
                .join())
        .isEqualTo("done");
  }

  @Test
  void currentGridIsAbsentOutsideCall() {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(Grid::current)
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT));
  }
}
