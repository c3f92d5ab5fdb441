package io.hazelgrad.cli;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A local cluster of worker processes that this JVM has joined. {@link #run} fails as soon as one
 * of the processes ends.
 */
public final class ClusterSession implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration START_OF_EACH = Duration.ofSeconds(15);
  private static final Duration EXIT_KNOWN = Duration.ofSeconds(1);

  private final LocalCluster cluster;
  private final CompletableFuture<LocalCluster.Exit> lost = new CompletableFuture<>();
  private final Grid grid;

  private ClusterSession(String self, LocalCluster cluster) {
    this.cluster = cluster;
    cluster.onExit(lost::complete);
    this.grid = Grid.join(cluster.joiner(self).build());
    cluster.joinedHere();
  }

  /** Starts workers and joins them under the name {@code self}. */
  public static ClusterSession open(String self, LocalCluster.Spec workers) {
    Duration limit = START.plus(START_OF_EACH.multipliedBy(workers.workers().size()));
    LocalCluster cluster = LocalCluster.start(workers.withStartTimeout(limit));
    try {
      return new ClusterSession(self, cluster);
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Returns the grid of this JVM, which is a worker too. */
  public Grid grid() {
    return grid;
  }

  /** Returns the worker processes. */
  public LocalCluster cluster() {
    return cluster;
  }

  /**
   * Runs work on a thread of its own and waits for it.
   *
   * @throws FailedException as soon as a worker process has ended, with its name; the work goes on
   */
  public <T> T run(Callable<T> work) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread = new Thread(() -> complete(result, work), "session");
    thread.setDaemon(true);
    thread.start();
    try {
      CompletableFuture.anyOf(result, lost).get();
    } catch (ExecutionException e) {
      // A call to a dead worker can fail before the end of its process is known.
      LocalCluster.Exit exit = exit(EXIT_KNOWN);
      if (exit != null) {
        throw failure(exit);
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    if (result.isDone()) {
      return result.get();
    }
    throw failure(lost.join());
  }

  private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
    try {
      result.complete(work.call());
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  private LocalCluster.@Nullable Exit exit(Duration limit) throws InterruptedException {
    try {
      return lost.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return null;
    }
  }

  private static FailedException failure(LocalCluster.Exit exit) {
    return new FailedException(
        "worker " + exit.worker() + " was lost: its process ended with code " + exit.code());
  }

  /** Leaves the cluster and ends its workers. */
  @Override
  public void close() {
    try {
      if (lost.isDone()) {
        // A hand-over could wait for a worker that has ended.
        grid.hazelcast().getLifecycleService().terminate();
      } else {
        grid.close();
      }
    } finally {
      cluster.close();
    }
  }
}
