package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.config.Config;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many calls a worker takes at once, and what happens to those that are too many. */
@RemoteFunctions
class CapacityTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  private static long threads(String worker) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("hazelgrad-" + worker + "-calls-"))
        .count();
  }

  @Test
  void thousandNestedBlockingCallsFinishWithSixteenPermits() {
    Grid alice = grids.join("alice");
    grids.join("bob");
    Rpc rpc = alice.rpc().within(Duration.ofSeconds(60));
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(rpc.async("bob", CapacityTest::callsBackAfter, "all are in flight"));
    }
    Eventually.until(
        "all have started", () -> Signals.named("all are in flight").started.get() == 1000);
    Signals.named("all are in flight").answer.complete("go");
    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("alice"));
  }

  /** Waits inside the grid for all others, then calls its caller. */
  static String callsBackAfter(String signal) {
    String go = Grid.current().rpc().sync("alice", Function.async(Calls::later), signal);
    return go.isEmpty() ? "" : Grid.current().rpc().sync("alice", Calls::worker);
  }

  @Test
  void tenThousandAsyncFunctionsAreOutstandingOnFourThreads() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join(HazelgradConfig.named("bob").maxRunning(4));
    Rpc rpc = alice.rpc().within(Duration.ofSeconds(60));
    List<CompletableFuture<String>> calls = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      calls.add(rpc.async("bob", Function.async(Calls::later), "ten thousand"));
    }
    Eventually.until(
        "all have started", () -> Signals.named("ten thousand").started.get() == 10_000);
    assertThat(bob.activeCalls()).isEqualTo(10_000);
    // A thread that has given its permit back may not be idle yet when the next one starts.
    assertThat(threads("bob")).isLessThanOrEqualTo(8);
    Signals.named("ten thousand").answer.complete("at last");
    assertThat(calls).allSatisfy(call -> assertThat(call.join()).isEqualTo("at last"));
  }

  @Test
  void callIsRefusedOrWaitsWhenQueueIsFull() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join(HazelgradConfig.named("bob").maxRunning(1).maxQueued(2));
    Rpc rpc = alice.rpc().within(Duration.ofSeconds(30));
    CompletableFuture<String> running = rpc.async("bob", Calls::block, "no room");
    Signals.named("no room").awaitStarted();
    List<CompletableFuture<String>> queued =
        List.of(rpc.async("bob", Calls::worker), rpc.async("bob", Calls::worker));
    Eventually.until("both are queued", () -> bob.activeCalls() == 3);
    GridException refused =
        catchThrowableOfType(GridException.class, () -> rpc.sync("bob", Calls::worker));
    assertThat(refused.status()).isEqualTo(Status.REJECTED);
    assertThat(refused.mayHaveRun()).isFalse();
    assertThat(refused).hasMessageContainingAll("worker bob", "2 calls wait", "maxQueued");

    List<CompletableFuture<String>> patient = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      patient.add(rpc.waitingWhenFull().async("bob", Calls::worker));
    }
    GridException late =
        catchThrowableOfType(
            GridException.class,
            () ->
                rpc.within(Duration.ofMillis(100))
                    .waitingWhenFull()
                    .sync("bob", Function.action(Calls::mark), "never had room"));
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    Signals.named("no room").release();
    assertThat(running.join()).isEqualTo("released");
    assertThat(queued).allSatisfy(call -> assertThat(call.join()).isEqualTo("bob"));
    assertThat(patient).allSatisfy(call -> assertThat(call.join()).isEqualTo("bob"));
    assertThat(Signals.named("never had room").started).hasValue(0);
  }

  @Test
  void waitingCallsAboveLimitAreRefusedAndOthersContinue() {
    Grid alice = grids.join("alice");
    grids.join(HazelgradConfig.named("bob").maxRunning(2).maxWaiting(3));
    Rpc rpc = alice.rpc().within(Duration.ofSeconds(30));
    List<CompletableFuture<String>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(rpc.async("bob", CapacityTest::callsBackAfter, "three wait"));
    }
    Eventually.until("three wait", () -> Signals.named("three wait").started.get() == 3);
    Eventually.until("all three in the grid", () -> alice.activeCalls() == 3);
    GridException refused =
        catchThrowableOfType(
            GridException.class,
            () -> rpc.sync("bob", CapacityTest::callsBackAfter, "one too many"));
    assertThat(refused.status()).isEqualTo(Status.REJECTED);
    assertThat(refused).hasMessageContainingAll("3 called functions", "maxWaiting");
    assertThat(refused.mayHaveRun()).as("the function had begun").isTrue();
    Signals.named("three wait").answer.complete("go");
    assertThat(waiting).allSatisfy(call -> assertThat(call.join()).isEqualTo("alice"));
  }

  @Test
  void longCallOutlivesTimeoutsOfHazelcast() {
    Grid alice = grids.join(HazelgradConfig.named("alice").hazelcast(impatient()));
    grids.join(HazelgradConfig.named("bob").hazelcast(impatient()));
    Rpc rpc = alice.rpc().within(Duration.ofSeconds(60));
    CompletableFuture<String> blocking = rpc.async("bob", Calls::block, "long call");
    CompletableFuture<String> later = rpc.async("bob", Function.async(Calls::later), "long stage");
    // Four times what Hazelcast grants an operation that sends no heartbeats.
    rpc.sync("bob", CapacityTest::takes, 4000L);
    assertThat(blocking).isNotDone();
    assertThat(later).isNotDone();
    Signals.named("long call").release();
    Signals.named("long stage").answer.complete("done");
    assertThat(blocking.join()).isEqualTo("released");
    assertThat(later.join()).isEqualTo("done");
  }

  private Config impatient() {
    Config config = grids.config();
    config.setProperty("hazelcast.operation.call.timeout.millis", "500");
    config.setProperty("hazelcast.client.invocation.timeout.seconds", "1");
    return config;
  }

  /**
   * Takes its time, as work does. Nothing waits for something else by this: the time itself is what
   * the test is about, since the timeouts that must not end a call are those of real clocks.
   */
  static long takes(long millis) throws InterruptedException {
    Thread.sleep(millis);
    return millis;
  }

  @Test
  void nestedCallEndsWithItsFunctionUnlessItHasOwnDeadline() {
    Grid alice = grids.join("alice");
    Grid bob = grids.join("bob");
    GridException late =
        catchThrowableOfType(
            GridException.class,
            () ->
                alice
                    .rpc()
                    .within(Duration.ofMillis(300))
                    .sync("bob", CapacityTest::waitsFor, "inherited deadline", false));
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    Eventually.until("bob's own call has ended, too", () -> bob.outstandingCalls() == 0);

    CompletableFuture<String> outer =
        alice
            .rpc()
            .within(Duration.ofMillis(300))
            .async("bob", CapacityTest::waitsFor, "own deadline", true);
    assertThat(outer.handle((value, failure) -> failure).join())
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.TIMEOUT));
    Signals.named("own deadline").awaitStarted();
    assertThat(bob.outstandingCalls()).isEqualTo(1);
    Signals.named("own deadline").answer.complete("done");
    Eventually.until("the call has ended", () -> bob.outstandingCalls() == 0);
  }

  /** Waits for a stage of alice's. */
  static String waitsFor(String signal, boolean ownDeadline) {
    Rpc rpc = Grid.current().rpc();
    return (ownDeadline ? rpc.within(Duration.ofSeconds(30)) : rpc)
        .sync("alice", Function.async(Calls::later), signal);
  }
}
