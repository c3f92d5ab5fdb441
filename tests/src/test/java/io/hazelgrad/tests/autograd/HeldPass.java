package io.hazelgrad.tests.autograd;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds the messages that a worker emits in passes until {@link #goOn} or {@link #close}. */
final class HeldPass implements AutoCloseable {
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ParticipantProxy proxy;

  HeldPass(Grid grid) {
    proxy =
        new ParticipantProxy(
            grid,
            emitted -> {
              running.countDown();
              await(goOn);
              return emitted;
            });
  }

  /** Waits until a pass has reached the worker. */
  void awaitRunning() {
    await(running);
  }

  void goOn() {
    goOn.countDown();
  }

  @Override
  public void close() {
    goOn();
    proxy.close();
  }

  static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
