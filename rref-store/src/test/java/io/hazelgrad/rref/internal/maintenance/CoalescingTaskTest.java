package io.hazelgrad.rref.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CoalescingTaskTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10); // It may overflow.
  private final AtomicInteger done = new AtomicInteger();
  private final CoalescingTask rounds = new CoalescingTask(() -> true, clock::get);

  private void round(long length) {
    clock.addAndGet(length);
    done.incrementAndGet();
  }

  @Test
  void roundsPauseWhenOnlyTimerRequestsThem() {
    rounds.runIfRested(() -> round(100));
    assertThat(done).hasValue(1);

    clock.addAndGet(CoalescingTask.REST * 100 - 1);
    rounds.runIfRested(() -> round(100));
    assertThat(done).hasValue(1);

    clock.addAndGet(1);
    rounds.runIfRested(() -> round(0));
    rounds.runIfRested(() -> round(0));
    assertThat(done).hasValue(3);
  }

  @Test
  void pauseIsBounded() {
    rounds.runIfRested(() -> round(CoalescingTask.LONGEST_REST.toNanos()));

    clock.addAndGet(CoalescingTask.LONGEST_REST.toNanos() - 1);
    rounds.runIfRested(() -> round(0));
    assertThat(done).hasValue(1);

    clock.addAndGet(1);
    rounds.runIfRested(() -> round(0));
    assertThat(done).hasValue(2);
  }

  @Test
  void eventStartsRoundAtOnce() {
    rounds.run(() -> round(1_000_000));
    rounds.run(() -> round(1_000_000));
    assertThat(done).hasValue(2);
  }

  @Test
  void requestDuringRoundStartsExactlyOneMoreRound() {
    rounds.run(
        () -> {
          round(1);
          if (done.get() == 1) {
            CompletableFuture.runAsync(this::wantTwice).join();
          }
        });
    assertThat(done).hasValue(2);
  }

  private void wantTwice() {
    rounds.run(() -> round(1));
    rounds.run(() -> round(1));
  }

  @Test
  void noRoundStartsAfterClose() {
    CoalescingTask over = new CoalescingTask(() -> false, clock::get);
    over.run(() -> round(1));
    over.between(() -> round(1));
    assertThat(done).hasValue(0);
  }
}
