package io.hazelgrad.cli;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.JoinAttempts;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A local cluster of worker processes that this JVM has joined. {@link #run} fails as soon as one
 * of the processes ends.
 */
public final class ClusterSession implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration START_OF_EACH = Duration.ofSeconds(15);

  private final LocalCluster cluster;
  private final CompletableFuture<LocalCluster.Exit> lost = new CompletableFuture<>();
  private final Grid grid;

  private ClusterSession(String self, LocalCluster cluster) {
    this.cluster = cluster;
    cluster.onExit(lost::complete);
    this.grid = JoinAttempts.join(() -> cluster.joiner(self).build());
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
    FutureTask<T> task = new FutureTask<>(work);
    CompletableFuture<Void> ended = CompletableFuture.runAsync(task, ClusterSession::start);
    CompletableFuture.anyOf(ended, lost).get();
    if (ended.isDone()) {
      try {
        return task.get();
      } catch (ExecutionException e) {
        // A call to a dead worker can fail before the end of its process is known.
        if (!lost.handle((exit, failure) -> true).completeOnTimeout(false, 1, SECONDS).join()) {
          throw e.getCause() instanceof Exception cause ? cause : e;
        }
      }
    }
    LocalCluster.Exit exit = lost.join();
    throw new FailedException(
        "worker " + exit.worker() + " was lost: its process ended with code " + exit.code());
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "session");
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends this JVM's worker and all others, without a hand-over: nobody stays to take the data. */
  @Override
  public void close() {
    cluster.askToEnd(); // All at once: who sees others leave first would look after what they had.
    try {
      grid.hazelcast().getLifecycleService().terminate();
      grid.close();
    } finally {
      cluster.close();
    }
  }
}
