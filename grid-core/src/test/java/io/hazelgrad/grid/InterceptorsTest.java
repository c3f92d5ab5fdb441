package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.ProbeExtension.Probe;
import io.hazelgrad.grid.ProbeExtension.Token;
import io.hazelgrad.grid.fault.FaultRule;
import io.hazelgrad.grid.fault.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What interceptors and value hooks of extensions see of a call, and in which order. */
class InterceptorsTest {
  private static TestGrids grids;
  private static Grid alice;
  private static Probe atAlice;
  private static Probe atBob;

  @BeforeAll
  static void join() {
    grids = new TestGrids();
    alice = grids.join("alice");
    atAlice = Probe.of(alice);
    atBob = Probe.of(grids.join("bob"));
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @BeforeEach
  void forget() {
    atAlice.events.clear();
    atBob.events.clear();
  }

  @Test
  void callPassesAllStepsInOrder() {
    Object token = alice.rpc().sync("bob", Calls::echo, List.of(new Token("t")));
    assertThat(token).isEqualTo(List.of(new Token("t")));
    Eventually.until("bob is done", () -> atBob.events.contains("ended request"));
    assertThat(atAlice.events)
        .containsExactly(
            "departing request",
            "write request",
            "departed request",
            "arriving reply",
            "read reply",
            "arrived from bob reply",
            "over request");
    assertThat(atBob.events)
        .containsExactly(
            "arriving request",
            "read request",
            "arrived from alice request",
            "enter request",
            "resolved request",
            "returned request",
            "departing reply",
            "write reply",
            "departed reply",
            "ready reply",
            "over reply",
            "leave request",
            "ended request");
  }

  @Test
  void replyIsReadOnceWhenDuplicated() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    Signals signals = Signals.named("interceptors.twice");
    FaultRule twice = Faults.of(alice).on("call.function").duplicate();
    for (int i = 0; i < 50; i++) {
      calls.add(alice.rpc().async("bob", Function.async(Calls::later), "interceptors.twice"));
    }
    Faults.of(alice).clear();
    assertThat(twice.count()).isEqualTo(50);
    Eventually.until("all have started", () -> signals.started.get() == 50);
    assertThat(alice.rpc().sync("bob", Calls::add, 1.0, 2.0)).as("after all copies").isEqualTo(3.0);
    atAlice.events.clear();
    signals.answer.complete("once");
    calls.forEach(call -> assertThat(call.join()).isEqualTo("once"));
    assertThat(alice.rpc().sync("bob", Calls::add, 1.0, 2.0)).as("after all copies").isEqualTo(3.0);
    assertThat(atAlice.events.stream().filter("arriving reply"::equals)).hasSize(51);
    assertThat(signals.started).hasValue(50);
  }

  @Test
  void failurePassesAllSteps() {
    GridException failed =
        catchThrowableOfType(
            GridException.class, () -> alice.rpc().sync("bob", Calls::throwing, "x"));
    assertThat(failed.status()).isEqualTo(Status.USER_ERROR);
    Eventually.until("bob is done", () -> atBob.events.contains("ended request"));
    assertThat(atBob.events)
        .endsWith("resolved request", "threw USER_ERROR request", "leave request", "ended request");
    assertThat(atAlice.events)
        .containsExactly("departing request", "departed request", "over USER_ERROR request");
  }

  @Test
  void requestEndsWhenArgumentCannotTravel() {
    GridException failed =
        catchThrowableOfType(
            GridException.class,
            () -> alice.rpc().async("bob", Calls::echo, List.of(new Token("t"), new Object())));
    assertThat(failed.status()).isEqualTo(Status.BAD_VALUE);
    assertThat(atAlice.events)
        .containsExactly("departing request", "write request", "over BAD_VALUE request");
    assertThat(alice.outstandingCalls()).isZero();
  }

  @Test
  void replyEndsWhenResultCannotTravel() {
    GridException failed =
        catchThrowableOfType(GridException.class, () -> alice.rpc().sync("bob", Calls::unsendable));
    assertThat(failed.status()).isEqualTo(Status.BAD_VALUE);
    assertThat(atBob.events)
        .contains("over BAD_VALUE reply")
        .doesNotContain("ready reply", "dropped request");
  }

  @Test
  void argumentsAreDroppedWhenFunctionIsNotStarted() {
    GridException failed =
        catchThrowableOfType(
            GridException.class,
            () -> alice.rpc().sync("bob", Function.of(Calls::add), new Token("t"), 1.0));
    assertThat(failed.status()).isEqualTo(Status.BAD_ARGUMENT);
    assertThat(atBob.events).contains("read request", "dropped request");
  }

  @Test
  void functionStartsWhenItsArgumentsAreConfirmed() {
    CompletableFuture<Void> hold = new CompletableFuture<>();
    atBob.hold = hold;
    try {
      CompletableFuture<?> call =
          alice.rpc().async("bob", Function.action(Calls::mark), "confirmed");
      Eventually.until(
          "the request has arrived", () -> atBob.events.contains("arrived from alice request"));
      assertThat(Signals.named("confirmed").started).hasValue(0);
      hold.complete(null);
      call.join();
      assertThat(Signals.named("confirmed").started).hasValue(1);
    } finally {
      atBob.hold = null;
    }
  }

  @Test
  void callFailsWhenArgumentsAreNotConfirmed() {
    atBob.hold =
        CompletableFuture.failedFuture(new GridException(Status.RREF_GONE, "gone for a test"));
    try {
      GridException failed =
          catchThrowableOfType(
              GridException.class,
              () -> alice.rpc().sync("bob", Function.action(Calls::mark), "refused"));
      assertThat(failed.status()).isEqualTo(Status.RREF_GONE);
      assertThat(atBob.events).contains("dropped request").doesNotContain("enter request");
      assertThat(Signals.named("refused").started).hasValue(0);
    } finally {
      atBob.hold = null;
    }
  }

  @Test
  void replyIsReadAndDroppedAfterTimeout() {
    CompletableFuture<String> call =
        alice.rpc().within(Duration.ofMillis(200)).async("bob", Calls::block, "late reply");
    Signals.named("late reply").awaitStarted();
    GridException late = catchThrowableOfType(GridException.class, () -> Rpc.await(call));
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    Signals.named("late reply").release();
    Eventually.until("the reply was dropped", () -> atAlice.events.contains("dropped reply"));
    assertThat(atAlice.events)
        .containsExactly(
            "departing request",
            "departed request",
            "over TIMEOUT request",
            "arriving reply",
            "dropped reply");
  }
}
