package io.hazelgrad.grid.internal.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Eventually;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of tasks that run on the thread that brings them. */
class CallPoolGuestTest {
  private final CallPool pool = new CallPool(1, 10, 10, Thread::new);
  private final List<Thread> ran = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() throws InterruptedException {
    pool.close();
    pool.awaitEnd(20);
  }

  private void note() {
    ran.add(Thread.currentThread());
  }

  @Test
  void taskRunsOnItsThreadWhenPermitIsFree() {
    assertThat(pool.runHere(this::note)).isTrue();

    assertThat(ran).containsExactly(Thread.currentThread());
    assertThat(pool.free()).isEqualTo(1);
    assertThat(pool.isGuest()).isFalse();
  }

  @Test
  void taskIsNotRunHereWhenNoPermitIsFree() {
    boolean ranInside = pool.runHere(() -> assertThat(pool.runHere(this::note)).isFalse());

    assertThat(ranInside).isTrue();
    assertThat(ran).isEmpty();
  }

  @Test
  void queuedTaskRunsOnAnotherThreadWhenGuestHasRunItsOwn() {
    pool.runHere(
        () -> {
          assertThat(pool.isGuest()).isTrue();
          assertThat(pool.submit(this::note)).isEqualTo(CallPool.Admission.ACCEPTED);
          assertThat(ran).isEmpty();
        });

    Eventually.until("the queued task ran", () -> ran.size() == 1);
    assertThat(ran).doesNotContain(Thread.currentThread());
    Eventually.until("the permit is free", () -> pool.free() == 1);
  }

  @Test
  void nothingRunsHereAfterClose() {
    pool.close();
    assertThat(pool.runHere(this::note)).isFalse();
    assertThat(ran).isEmpty();
  }

  @Test
  void endWaitsForGuests() throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Thread guest =
        new Thread(
            () ->
                pool.runHere(
                    () -> {
                      started.countDown();
                      try {
                        assertThat(release.await(20, TimeUnit.SECONDS)).isTrue();
                        note();
                      } catch (InterruptedException e) {
                        throw new AssertionError(e);
                      }
                    }));
    guest.start();
    assertThat(started.await(20, TimeUnit.SECONDS)).isTrue();
    pool.close();
    Thread closer =
        new Thread(
            () -> {
              try {
                pool.awaitEnd(20);
                assertThat(ran).containsExactly(guest);
                note();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    closer.start();
    Eventually.until("the closer waits", () -> closer.getState() == Thread.State.TIMED_WAITING);

    release.countDown();
    closer.join(20_000);

    assertThat(ran).containsExactly(guest, closer);
  }
}
