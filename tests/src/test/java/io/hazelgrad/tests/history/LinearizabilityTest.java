package io.hazelgrad.tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.tests.history.CounterModel.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the checker: histories that are linearizable, and violations that are planted. */
class LinearizabilityTest {
  private static final int ROUNDS = 300;

  private static Operation<CounterModel.Call> hit(long result, long invoked, long returned) {
    return new Operation<>(new CounterModel.Call(Kind.INCREMENT, result), invoked, returned);
  }

  private static Operation<CounterModel.Call> failedHit(long invoked) {
    return hit(CounterModel.UNKNOWN, invoked, Operation.NEVER);
  }

  private static Operation<CounterModel.Call> read(long result, long invoked, long returned) {
    return new Operation<>(new CounterModel.Call(Kind.READ, result), invoked, returned);
  }

  private static Operation<RegisterModel.Call> write(long value, long invoked, long returned) {
    return new Operation<>(
        new RegisterModel.Call(RegisterModel.Kind.WRITE, value), invoked, returned);
  }

  private static Operation<RegisterModel.Call> readsRegister(
      long value, long invoked, long returned) {
    return new Operation<>(
        new RegisterModel.Call(RegisterModel.Kind.READ, value), invoked, returned);
  }

  private static String counter(List<Operation<CounterModel.Call>> history) {
    return Linearizability.violation(new CounterModel(), history);
  }

  private static String register(List<Operation<RegisterModel.Call>> history) {
    return Linearizability.violation(new RegisterModel(), history);
  }

  @Test
  void overlappingOperationsMayTakeEffectInAnyOrder() {
    assertThat(counter(List.of(hit(2, 0, 10), hit(1, 5, 20), read(0, 1, 30), read(2, 21, 40))))
        .isEmpty();
    assertThat(register(List.of(write(1, 0, 10), write(2, 5, 20), readsRegister(1, 21, 30))))
        .isEmpty();
  }

  @Test
  void failedOperationMayTakeEffectOnceOrNotAtAll() {
    assertThat(counter(List.of(failedHit(0), hit(1, 5, 10)))).isEmpty();
    assertThat(counter(List.of(failedHit(0), hit(2, 5, 10)))).isEmpty();
    assertThat(counter(List.of(hit(1, 0, 2), failedHit(3), read(1, 5, 10), read(2, 12, 13))))
        .isEmpty();
    assertThat(counter(List.of(failedHit(0), hit(3, 5, 10)))).contains("no order");
  }

  @Test
  void lostWriteIsFound() {
    assertThat(counter(List.of(hit(1, 0, 1), hit(2, 2, 3), hit(2, 4, 5)))).contains("no order");
    assertThat(register(List.of(write(1, 0, 1), write(2, 2, 3), readsRegister(1, 4, 5))))
        .contains("no order");
  }

  @Test
  void staleReadIsFound() {
    assertThat(counter(List.of(hit(1, 0, 1), read(0, 2, 3)))).contains("no order");
    assertThat(register(List.of(write(1, 0, 9), readsRegister(1, 1, 2), readsRegister(0, 3, 4))))
        .contains("no order");
  }

  @Test
  void doubleApplyIsFound() {
    assertThat(counter(List.of(hit(1, 0, 1), hit(3, 2, 3)))).contains("no order");
  }

  @Test
  void failedOperationTakesNoEffectBeforeItsInvocation() {
    assertThat(counter(List.of(hit(2, 0, 1), failedHit(2)))).contains("no order");
  }

  @Test
  void manyFailedOperationsAreDecidedSoon() {
    List<Operation<CounterModel.Call>> history = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      history.add(failedHit(i));
    }
    history.add(hit(62, 100, 101));
    assertThat(Linearizability.violation(new CounterModel(), history)).contains("no order");
    history.set(60, hit(61, 100, 101));
    assertThat(Linearizability.violation(new CounterModel(), history)).isEmpty();
  }

  /** A real execution at random instants passes; with one result changed it does not. */
  @Test
  void randomExecutionPassesAndOneChangedResultIsFound() {
    Random random = new Random(7);
    for (int round = 0; round < ROUNDS; round++) {
      List<Operation<CounterModel.Call>> history = new ArrayList<>();
      long hits = 0;
      for (int i = 0; i < 40; i++) {
        long effect = 100L * i;
        long invoked = effect - random.nextInt(300);
        long returned = effect + random.nextInt(300);
        boolean fails = random.nextInt(8) == 0;
        if (random.nextBoolean()) {
          history.add(read(hits, invoked, returned));
        } else if (fails) {
          hits += random.nextInt(2);
          history.add(failedHit(invoked));
        } else {
          history.add(hit(++hits, invoked, returned));
        }
      }
      history.add(read(hits, 10_000, 10_001));
      assertThat(Linearizability.violation(new CounterModel(), history)).isEmpty();
      long failed = history.stream().filter(Operation::isPending).count();
      history.add(read(hits + failed + 1, 10_002, 10_003));
      assertThat(Linearizability.violation(new CounterModel(), history)).contains("no order");
    }
  }
}
