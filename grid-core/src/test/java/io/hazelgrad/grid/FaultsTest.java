package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.fault.FaultRule;
import io.hazelgrad.grid.fault.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Messages that go wrong on purpose. */
class FaultsTest {
  private static final String FUNCTION = "call.function";

  private static TestGrids grids;
  private static Grid alice;
  private static Faults faults;

  @BeforeAll
  static void join() {
    grids = new TestGrids();
    alice = grids.join("alice");
    grids.join("bob");
    grids.join("carol");
    faults = Faults.of(alice);
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @AfterEach
  void clear() {
    faults.clear();
    assertThat(faults.injected()).isEmpty();
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    Eventually.until("no call is left", () -> alice.outstandingCalls() == 0);
  }

  private static Status statusOf(Runnable call) {
    return catchThrowableOfType(GridException.class, call::run).status();
  }

  @Test
  void firstMessagesFailAndOthersPass() {
    FaultRule rule = faults.on(FUNCTION).first(2).fail();
    for (int i = 0; i < 2; i++) {
      GridException failed =
          catchThrowableOfType(
              GridException.class,
              () -> alice.rpc().sync("bob", Function.action(Calls::mark), "faults.none"));
      assertThat(failed.status()).isEqualTo(Status.INTENTIONAL_FAILURE);
      assertThat(failed.mayHaveRun()).isFalse();
      assertThat(failed).hasMessageContaining(FUNCTION);
    }
    assertThat(Signals.named("faults.none").started).hasValue(0);
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(rule.count()).isEqualTo(2);
    assertThat(faults.injected()).isEqualTo(Map.of(FUNCTION, 2L));
  }

  @Test
  void ruleAppliesToItsWorkerOnly() {
    faults.on(FUNCTION).to("carol").fail();
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(statusOf(() -> alice.rpc().sync("carol", Calls::worker)))
        .isEqualTo(Status.INTENTIONAL_FAILURE);
  }

  @Test
  void delayedCallArrivesLateOrTimesOut() {
    faults.on(FUNCTION).delay(Duration.ofMillis(300));
    long start = System.nanoTime();
    assertThat(alice.rpc().sync("bob", Calls::worker)).isEqualTo("bob");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300_000_000);
    assertThat(statusOf(() -> alice.rpc().within(Duration.ofMillis(20)).sync("bob", Calls::worker)))
        .isEqualTo(Status.TIMEOUT);
  }

  @Test
  void functionNeverRunsWhenRequestIsDroppedAndRunsWhenReplyIs() {
    Rpc soon = alice.rpc().within(Duration.ofMillis(300));
    faults.on(FUNCTION).first(1).dropRequest();
    assertThat(statusOf(() -> soon.sync("bob", Function.action(Calls::mark), "faults.request")))
        .isEqualTo(Status.TIMEOUT);
    assertThat(Signals.named("faults.request").started).hasValue(0);

    faults.on(FUNCTION).first(1).dropReply();
    Rpc later = alice.rpc().within(Duration.ofSeconds(3)); // In which a busy machine starts it.
    assertThat(statusOf(() -> later.sync("bob", Function.action(Calls::mark), "faults.reply")))
        .isEqualTo(Status.TIMEOUT);
    assertThat(Signals.named("faults.reply").started).hasValue(1);
  }

  /** Often, since the callee may be done with the first copy before the second one comes. */
  @Test
  void duplicateHasOneReply() {
    FaultRule rule = faults.on(FUNCTION).duplicate();
    for (int i = 0; i < 3000; i++) {
      assertThat(alice.rpc().sync("bob", Calls::length, "abc")).isEqualTo(3);
    }
    assertThat(rule.count()).isEqualTo(3000);
  }

  @Test
  void randomFaultsAreRepeatable() {
    List<List<Boolean>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      FaultRule rule = faults.onAny().to("bob").sometimes(0.5, 42).fail();
      List<Boolean> failed = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        try {
          failed.add(alice.rpc().sync("bob", Calls::worker).isEmpty());
        } catch (GridException e) {
          failed.add(true);
        }
      }
      rule.remove();
      runs.add(failed);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1)).contains(true, false);
  }

  @Test
  void rulesApplyInOrderAndAreListed() {
    faults.on(FUNCTION).first(1).fail();
    FaultRule second = faults.onAny().to("bob").sometimes(0.25, 1).delay(Duration.ofMillis(5));
    assertThat(faults.rules())
        .extracting(FaultRule::toString)
        .containsExactly(
            "call.function, the first 1: FAIL",
            "any message to bob, with probability 0.25: DELAY of 5 ms");
    second.remove();
    second.remove();
    assertThat(faults.rules()).hasSize(1);
  }

  @Test
  void ruleIsRefusedWhenInvalid() {
    assertThatThrownBy(() -> faults.on("PYTHON_CALL"))
        .hasMessageContaining("PYTHON_CALL")
        .hasMessageContaining(FUNCTION)
        .hasMessageContaining("remote.operator");
    assertThatThrownBy(() -> faults.onAny().first(0)).hasMessageContaining("first");
    assertThatThrownBy(() -> faults.onAny().firstAttempts(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> faults.onAny().sometimes(1.5, 1)).hasMessageContaining("1.5");
    assertThatThrownBy(() -> faults.onAny().delay(Duration.ofMillis(-1)))
        .isInstanceOf(GridException.class);
    assertThat(faults.rules()).isEmpty();
  }

  @Test
  void otherWorkersAreNotAffected() {
    faults.onAny().fail();
    assertThat(statusOf(() -> alice.rpc().sync("bob", Calls::askBack, "alice")))
        .isEqualTo(Status.INTENTIONAL_FAILURE);
    faults.clear();
    assertThat(alice.rpc().sync("bob", Calls::askBack, "alice")).isNotNull();
  }
}
