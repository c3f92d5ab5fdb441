package io.hazelgrad.rref.internal.maintenance;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for the last replies of the registry before a worker or client leaves. */
final class ShutdownWait {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownWait.class);
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private ShutdownWait() {}

  /** Waits for replies of the registry, up to 5 s. */
  static void await(Collection<CompletableFuture<?>> replies) {
    try {
      CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))
          .get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info(
          "not all forks were released before leaving; other members reconcile: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
