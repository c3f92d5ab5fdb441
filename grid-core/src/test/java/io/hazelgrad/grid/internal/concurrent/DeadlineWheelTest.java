package io.hazelgrad.grid.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineWheelTest {
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final DeadlineWheel deadlines = new DeadlineWheel(timer);

  @AfterEach
  void end() {
    timer.shutdownNow();
  }

  /** Counts how often it expires, and how often too early. */
  private static final class Timed extends DeadlineWheel.Entry {
    final long at;
    final AtomicInteger expired = new AtomicInteger();
    volatile boolean early;

    Timed(long at) {
      this.at = at;
    }

    @Override
    public void expired() {
      early |= System.nanoTime() - at < 0;
      expired.incrementAndGet();
    }
  }

  private Timed in(long millis) {
    Timed entry = new Timed(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
    deadlines.add(entry, entry.at);
    return entry;
  }

  @Test
  void deadlineExpiresOnceAndNeverEarly() {
    Random random = new Random(7);
    List<Timed> entries = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      entries.add(in(random.nextInt(4000) - 50)); // More than a round of the wheel.
    }
    Eventually.until(
        "all have expired", () -> entries.stream().allMatch(entry -> entry.expired.get() == 1));
    assertThat(entries).noneMatch(entry -> entry.early);
  }

  @Test
  void deadlineDoesNotExpireWhenRemoved() {
    List<Timed> off = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      Timed entry = in(40 + i % 20);
      if (i % 2 == 0) {
        deadlines.remove(entry);
        deadlines.remove(entry);
        off.add(entry);
      }
    }
    Timed last = in(100);
    Eventually.until("the last has expired", () -> last.expired.get() == 1);
    assertThat(off).allMatch(entry -> entry.expired.get() == 0);
  }

  @Test
  void wheelRestsWhenEmptyAndTurnsAgain() {
    Timed first = in(1);
    Eventually.until("the first has expired", () -> first.expired.get() == 1);
    Eventually.until("the wheel rests", () -> !deadlines.isTurning());
    Timed second = in(5);
    Eventually.until("the second has expired", () -> second.expired.get() == 1);
    assertThat(second.early).isFalse();
  }

  @Test
  void removedWorkDoesNotKeepTheWheelTurning() {
    AtomicInteger ran = new AtomicInteger();
    DeadlineWheel.Entry work = deadlines.after(TimeUnit.MINUTES.toNanos(5), ran::incrementAndGet);
    assertThat(deadlines.isTurning()).isTrue();
    deadlines.remove(work);
    Eventually.until("the wheel rests", () -> !deadlines.isTurning());
    assertThat(ran).hasValue(0);
  }

  @Test
  void otherDeadlinesExpireWhenOneFails() {
    deadlines.after(
        1,
        () -> {
          throw new IllegalStateException("for a test");
        });
    Timed other = in(3);
    Eventually.until("the other has expired", () -> other.expired.get() == 1);
    Timed never = new Timed(0);
    deadlines.add(never, Long.MAX_VALUE);
    deadlines.remove(never);
    assertThat(never.expired).hasValue(0);
  }

  @Test
  void wheelTurnsOnWhenADeadlineEndsWithAnError() {
    AtomicInteger failed = new AtomicInteger();
    deadlines.after(
        1,
        () -> {
          failed.incrementAndGet();
          throw new OutOfMemoryError("for a test");
        });
    Timed beside = in(1);
    Eventually.until("the first has failed", () -> failed.get() == 1);
    Timed later = in(5);
    Eventually.until("one beside it has expired", () -> beside.expired.get() == 1);
    Eventually.until("a later one has expired", () -> later.expired.get() == 1);
  }
}
