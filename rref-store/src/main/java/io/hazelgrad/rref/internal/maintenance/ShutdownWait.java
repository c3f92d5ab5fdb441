package io.hazelgrad.rref.internal.maintenance;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a worker or client waits for before it leaves. */
final class ShutdownWait {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownWait.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private ShutdownWait() {}

  /** Waits for the registry's answers, up to 5 s. */
  static void await(Collection<CompletableFuture<?>> said) {
    try {
      CompletableFuture.allOf(said.toArray(new CompletableFuture<?>[0]))
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("not all was released before leaving; the others reconcile: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
