package io.hazelgrad.launcher;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for SIGINT or SIGTERM, and lets the process end only after it is closed or 5 s have passed.
 * A client can disconnect meanwhile, so that it does not count as lost.
 */
public final class EndSignal implements AutoCloseable {
  private static final long LEAVE_SECONDS = 5;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CompletableFuture<Boolean> left = new CompletableFuture<>();

  /** Begins to listen for signals. */
  public EndSignal() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  asked.countDown();
                  left.completeOnTimeout(false, LEAVE_SECONDS, TimeUnit.SECONDS).join();
                },
                "end-signal"));
  }

  /** Waits for some seconds; returns whether a signal has come. */
  public boolean await(long seconds) throws InterruptedException {
    return asked.await(seconds, TimeUnit.SECONDS);
  }

  /** Waits for a signal. */
  public void await() throws InterruptedException {
    asked.await();
  }

  /** Lets the process end. */
  @Override
  public void close() {
    left.complete(true);
  }
}
