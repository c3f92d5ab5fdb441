package io.hazelgrad.autograd.internal.jobs.steps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The steps of a trainer, one after each millisecond of the test's clock. */
final class StepHistoryTest {
  private long millis;
  private final StepHistory history = new StepHistory(() -> TimeUnit.MILLISECONDS.toNanos(millis));

  private void make(long from, long to) {
    for (long step = from; step <= to; step++) {
      millis++;
      history.made(step);
    }
  }

  @Test
  void nothingIsKnownBeforeTheFirstStep() {
    millis = 10;
    assertThat(history.last()).isEqualTo(-1);
    assertThat(history.millisSinceLast()).isZero();
    assertThat(history.millisFrom(0)).isZero();
  }

  @Test
  void repeatedStepsCountFromTheSnapshot() {
    make(1, 50);
    millis += 7;
    assertThat(history.last()).isEqualTo(50);
    assertThat(history.millisSinceLast()).isEqualTo(7);
    assertThat(history.millisFrom(30)).isEqualTo(20);
    assertThat(history.millisFrom(50)).isZero();
    assertThat(history.millisFrom(51)).isZero();
  }

  @Test
  void pauseBeforeRestartIsNoTimeOfSteps() {
    make(1, 50);
    millis += 1_000;
    history.begin();
    assertThat(history.millisFrom(40)).isEqualTo(10);
    make(41, 45);
    assertThat(history.last()).isEqualTo(45);
    assertThat(history.millisFrom(40)).as("from the first of them").isEqualTo(4);
  }

  @Test
  void stepsBeforeTheFirstOneOfThisProcessHaveNoTime() {
    make(100, 110);
    assertThat(history.millisFrom(90)).isEqualTo(10);
  }

  @Test
  void onlyTheLastStepsHaveATime() {
    make(1, 3L * StepHistory.MOST);
    assertThat(history.millisFrom(0)).isEqualTo(StepHistory.MOST - 1);
  }
}
