package io.hazelgrad.autograd.internal.initiator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerChoiceTest {
  private static final long MILLIS = 1_000_000;
  private static final int WAVES = 2;
  private static final int IN_TRIAL = 2 * SchedulerChoice.SAMPLES;

  private final SchedulerChoice choice = new SchedulerChoice(WAVES);

  /** Runs passes until a trial begins; returns the time that they took. */
  private static long untilTrial(SchedulerChoice choice, long nanos) {
    boolean before = choice.next();
    long time = 0;
    for (; !choice.isTrial(); time += nanos) {
      assertThat(choice.next()).isEqualTo(before);
      assertThat(choice.ended(before, nanos)).isFalse();
    }
    return time;
  }

  /** Makes a trial with these durations; returns whether the choice changed. */
  private static boolean trial(SchedulerChoice choice, long byCalls, long byJobs) {
    boolean changed = false;
    for (int i = 0; i < SchedulerChoice.SAMPLES; i++) {
      assertThat(choice.isTrial()).isTrue();
      assertThat(choice.next()).isFalse();
      assertThat(choice.ended(false, byCalls)).isFalse();
      assertThat(choice.next()).isTrue();
      changed = choice.ended(true, byJobs);
    }
    assertThat(choice.isTrial()).isFalse();
    return changed;
  }

  private static SchedulerChoice inTrial() {
    SchedulerChoice choice = new SchedulerChoice(WAVES);
    choice.ended(false, SchedulerChoice.BEFORE_FIRST_TRIAL);
    return choice;
  }

  @Test
  void callsRunUntilLongPassesHaveTakenTheFirstTime() {
    assertThat(choice.next()).isFalse();
    assertThat(untilTrial(choice, 300 * MILLIS)).isEqualTo(1_200 * MILLIS);
    assertThat(untilTrial(new SchedulerChoice(WAVES), 10_000 * MILLIS)).isEqualTo(10_000 * MILLIS);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 200})
  void shortPassesAreNeverTried(int waves) {
    SchedulerChoice of = new SchedulerChoice(waves);
    for (int i = 0; i < 100_000; i++) {
      of.ended(false, (waves + 1) * MILLIS - 1);
    }
    assertThat(of.isTrial()).isFalse();
    assertThat(untilTrial(of, (waves + 1) * MILLIS)).isGreaterThanOrEqualTo(1_000 * MILLIS);
  }

  @Test
  void jobsAreChosenUpToATenth() {
    untilTrial(choice, 100 * MILLIS);
    assertThat(trial(choice, 100 * MILLIS, 110 * MILLIS + 1)).isFalse();
    assertThat(choice.next()).isFalse();
    untilTrial(choice, 100 * MILLIS);
    assertThat(trial(choice, 100 * MILLIS, 110 * MILLIS)).isTrue();
    assertThat(choice.next()).isTrue();
    untilTrial(choice, 110 * MILLIS);
    assertThat(trial(choice, 100 * MILLIS, 90 * MILLIS)).isFalse();
    assertThat(choice.next()).isTrue();
    untilTrial(choice, 90 * MILLIS);
    assertThat(trial(choice, 100 * MILLIS, 300 * MILLIS)).isTrue();
    assertThat(choice.next()).isFalse();
  }

  @Test
  void timeBetweenTrialsGrowsToAHundredTimesATrial() {
    untilTrial(choice, 100 * MILLIS);
    for (int times : new int[] {10, 20, 40, 80, 100, 100}) {
      trial(choice, 100 * MILLIS, 300 * MILLIS);
      assertThat(untilTrial(choice, 100 * MILLIS)).isEqualTo(4_000L * times * MILLIS);
    }
  }

  /** Each pass of a trial is either short or long: all trials of that kind. */
  @Test
  void shortestDurationsDecideInEveryTrial() {
    for (int trial = 0; trial < 1 << IN_TRIAL; trial++) {
      SchedulerChoice each = inTrial();
      long byCalls = Long.MAX_VALUE;
      long byJobs = Long.MAX_VALUE;
      boolean changed = false;
      for (int pass = 0; pass < IN_TRIAL; pass++) {
        boolean byJob = each.next();
        long nanos = ((byJob ? 110 : 100) + 11L * (trial >> pass & 1)) * MILLIS;
        byCalls = byJob ? byCalls : Math.min(byCalls, nanos);
        byJobs = byJob ? Math.min(byJobs, nanos) : byJobs;
        changed = each.ended(byJob, nanos);
      }
      assertThat(List.of(each.isTrial(), each.next(), changed))
          .as("trial %s", trial)
          .isEqualTo(List.of(false, byJobs <= byCalls * 1.1, byJobs <= byCalls * 1.1));
    }
  }

  /** Passes that run side by side end in any order. */
  @Test
  void trialEndsWhenBothHaveTheirPassesInEveryOrder() {
    for (int order = 0; order < 1 << IN_TRIAL; order++) {
      SchedulerChoice each = inTrial();
      int jobs = 0;
      int passes = 0;
      for (; passes < IN_TRIAL && each.isTrial(); passes++) {
        boolean byJob = (order >> passes & 1) == 1;
        jobs += byJob ? 1 : 0;
        each.ended(byJob, (byJob ? 105 : 100) * MILLIS);
      }
      boolean isOver = Math.min(jobs, passes - jobs) == SchedulerChoice.SAMPLES;
      assertThat(List.of(each.isTrial(), each.next()))
          .as("order %s", order)
          .isEqualTo(List.of(!isOver, isOver || jobs < passes - jobs));
    }
  }

  @Test
  void failureByJobChoosesCallsAtEachPointOfATrialAndAfterIt() {
    IntStream.rangeClosed(0, IN_TRIAL)
        .forEach(
            point -> {
              SchedulerChoice each = new SchedulerChoice(WAVES);
              untilTrial(each, 100 * MILLIS);
              for (int pass = 0; pass < point; pass++) {
                each.ended(each.next(), 100 * MILLIS);
              }
              assertThat(each.failed(false)).isFalse();
              assertThat(each.failed(true)).isEqualTo(point == IN_TRIAL);
              assertThat(each.next()).isFalse();
              assertThat(untilTrial(each, 100 * MILLIS)).isEqualTo(1_000 * MILLIS);
              assertThat(trial(each, 100 * MILLIS, 100 * MILLIS)).isTrue();
            });
  }
}
