package io.hazelgrad.grid.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Who may look for a reply before it sleeps. */
class SpinBudgetTest {
  private static final long SHORT = TimeUnit.MICROSECONDS.toNanos(40);
  private static final long LONG = TimeUnit.MILLISECONDS.toNanos(5);

  private final SpinBudget budget = new SpinBudget(4);

  private void waits(int times, long nanos) {
    for (int i = 0; i < times; i++) {
      budget.waited(nanos);
    }
  }

  @Test
  void spinningThreadsAreAtMostHalfOfProcessors() {
    assertThat(budget.begin()).isTrue();
    assertThat(budget.begin()).isTrue();
    assertThat(budget.begin()).as("a third of four processors").isFalse();

    budget.end();

    assertThat(budget.begin()).as("after one has ended").isTrue();
  }

  @Test
  void noThreadSpinsOnOneProcessor() {
    assertThat(new SpinBudget(1).begin()).isFalse();
  }

  @Test
  void threadsSpinOnlyWhileCallsAreShort() {
    waits(100, LONG);
    assertThat(budget.begin()).as("after long calls").isFalse();

    waits(100, SHORT);
    assertThat(budget.begin()).as("after short ones").isTrue();
  }

  @Test
  void threadsSpinAfterSingleLongCall() {
    waits(100, SHORT);
    waits(1, LONG);

    assertThat(budget.begin()).isTrue();
  }
}
