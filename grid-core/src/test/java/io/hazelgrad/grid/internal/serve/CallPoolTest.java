package io.hazelgrad.grid.internal.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.internal.concurrent.Permit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permits and tasks survive errors and a machine that has no thread to give for a moment. */
class CallPoolTest {
  private static final int PERMITS = 1;

  private final AtomicBoolean refuseThreads = new AtomicBoolean();
  private final AtomicInteger ran = new AtomicInteger();
  private final CallPool pool = new CallPool(PERMITS, 10, 10, this::thread);

  private Thread thread(Runnable work) {
    if (refuseThreads.get()) {
      throw new OutOfMemoryError("unable to create native thread, for a test");
    }
    Thread thread = new Thread(work, "call-pool-test");
    thread.setUncaughtExceptionHandler((its, thrown) -> {}); // One of the tests lets one escape.
    return thread;
  }

  @AfterEach
  void end() throws InterruptedException {
    pool.close();
    pool.awaitEnd(10);
  }

  private void awaitAllFree() {
    Eventually.until("all permits are free", () -> pool.free() == PERMITS);
  }

  @Test
  void permitIsKeptWhenATaskEndsWithAnError() {
    for (int i = 0; i < 2 * PERMITS; i++) {
      assertThat(
              pool.submit(
                  () -> {
                    ran.incrementAndGet();
                    throw new OutOfMemoryError("for a test");
                  }))
          .isEqualTo(CallPool.Admission.ACCEPTED);
    }
    Eventually.until("all have run", () -> ran.get() == 2 * PERMITS);
    awaitAllFree();
  }

  @Test
  void taskIsRefusedWhenNoThreadCanBeStarted() {
    refuseThreads.set(true);
    assertThat(pool.submit(ran::incrementAndGet)).hasToString("NO_THREAD");
    assertThat(pool.free()).isEqualTo(PERMITS);
    assertThat(pool.queued()).isZero();
    refuseThreads.set(false);
    assertThat(pool.submit(ran::incrementAndGet)).isEqualTo(CallPool.Admission.ACCEPTED);
    Eventually.until("it has run", () -> ran.get() == 1);
    awaitAllFree();
  }

  @Test
  void waitIsRefusedAndNothingIsLostWhenNoThreadCanBeStartedForTheNextTask() throws Exception {
    CountDownLatch queued = new CountDownLatch(1);
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    pool.submit(
        () -> {
          try {
            queued.await();
            refuseThreads.set(true);
            refused.complete(
                catchThrowable(
                    () -> {
                      var unused = Permit.pause();
                    }));
          } catch (InterruptedException e) {
            refused.completeExceptionally(e);
          } finally {
            refuseThreads.set(false);
          }
        });
    pool.submit(ran::incrementAndGet);
    queued.countDown();
    assertThat(refused.get())
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.REJECTED));
    Eventually.until("the queued task has run", () -> ran.get() == 1);
    awaitAllFree();
    assertThat(pool.waiting()).isZero();
  }
}
