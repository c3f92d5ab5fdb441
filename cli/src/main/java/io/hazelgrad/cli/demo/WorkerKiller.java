package io.hazelgrad.cli.demo;

import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills a worker process with SIGKILL from time to time, each time another one, and starts it again
 * at once. The next kill comes when the worker has joined, so most of the members always live.
 */
public final class WorkerKiller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerKiller.class);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final LocalCluster cluster;
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger kills = new AtomicInteger();

  /** Kills a worker each time that this period has passed after the last restart. */
  public WorkerKiller(LocalCluster cluster, Duration every) {
    this.cluster = cluster;
    var unused =
        thread.scheduleWithFixedDelay(
            this::killNext, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void killNext() {
    List<String> workers = cluster.workers();
    String victim = workers.get(kills.get() % workers.size());
    try {
      cluster.worker(victim).kill();
      kills.incrementAndGet();
      cluster.startWorker(victim);
    } catch (RuntimeException e) {
      LOG.warn("worker {} cannot be started again", victim, e);
      throw e; // No further kills.
    }
  }

  /** Returns the number of workers that were killed. */
  public int kills() {
    return kills.get();
  }

  /** Ends the kills, and waits until the last worker has been started again. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
