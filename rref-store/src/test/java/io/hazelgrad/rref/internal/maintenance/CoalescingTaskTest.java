package io.hazelgrad.rref.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoalescingTaskTest {
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10); // It may overflow.
  private final AtomicInteger done = new AtomicInteger();
  private final CoalescingTask rounds = new CoalescingTask(() -> true, clock::get);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

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

  /** Requests other work on so many threads, and awaits the end of all requests but one. */
  private List<CompletableFuture<Void>> requestOtherWork(int requests) {
    CountDownLatch returned = new CountDownLatch(requests - 1);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      all.add(
          CompletableFuture.runAsync(
              () -> {
                rounds.between(done::incrementAndGet);
                returned.countDown();
              },
              threads));
    }
    try {
      assertThat(returned.await(20, TimeUnit.SECONDS)).as("only one request waits").isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return all;
  }

  @Test
  void otherWorkRunsOnceForAllRequestsDuringRound() {
    List<CompletableFuture<Void>> requests = new ArrayList<>();
    rounds.run(() -> requests.addAll(requestOtherWork(4)));
    requests.forEach(CompletableFuture::join);
    assertThat(done).hasValue(1);
  }

  @Test
  void otherWorkRunsOnceMoreForAllRequestsDuringIt() {
    List<CompletableFuture<Void>> requests = new ArrayList<>();
    rounds.between(() -> requests.addAll(requestOtherWork(4)));
    requests.forEach(CompletableFuture::join);
    assertThat(done).hasValue(1);
  }

  @Test
  void noRoundStartsAfterClose() {
    CoalescingTask over = new CoalescingTask(() -> false, clock::get);
    over.run(() -> round(1));
    over.between(() -> round(1));
    assertThat(done).hasValue(0);
  }
}
