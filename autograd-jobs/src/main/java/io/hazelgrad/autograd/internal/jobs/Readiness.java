package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks workers whether they could train at once in a job: they answer, and their data set is open.
 * Asked for the first time, a worker begins to open it. Not safe for several threads.
 */
final class Readiness {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  /** The age at which an answer does not count any more: the worker may stand still by now. */
  private static final long RECENT_NANOS = 500_000_000L;

  private final GridContext grid;
  private final long jobId;
  private final byte[] task;
  private final Map<String, CompletableFuture<?>> asked = new HashMap<>();
  private final Map<String, Long> answeredNanos = new ConcurrentHashMap<>();

  Readiness(GridContext grid, long jobId, byte[] task) {
    this.grid = grid;
    this.jobId = jobId;
    this.task = task;
  }

  /** Asks workers, and returns those that are ready; waits 2 s for answers. */
  Set<String> ready(Collection<String> workers) {
    ask(workers);
    CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new)).join();
    return Set.copyOf(answeredNanos.keySet());
  }

  /**
   * Returns those workers that have lately said that they are ready. Asks again, without a wait.
   */
  Set<String> lately(Collection<String> workers) {
    long now = System.nanoTime();
    answeredNanos.values().removeIf(answered -> now - answered > RECENT_NANOS);
    ask(workers);
    Set<String> ready = new HashSet<>(workers);
    ready.retainAll(answeredNanos.keySet());
    return ready;
  }

  /** Asks each worker whose last answer is there. */
  private void ask(Collection<String> workers) {
    for (String worker : workers) {
      CompletableFuture<?> last = asked.get(worker);
      if (last == null || last.isDone()) {
        asked.put(worker, ask(worker));
      }
    }
  }

  private CompletableFuture<?> ask(String name) {
    try {
      Worker worker = grid.worker(name, TIMEOUT);
      return grid.call(worker, TrainingFunctions.READY, List.of(jobId, task), TIMEOUT, any -> {})
          .handle((isReady, failure) -> note(name, failure == null && isReady));
    } catch (GridException e) { // It is gone.
      return CompletableFuture.completedFuture(false);
    }
  }

  private boolean note(String worker, boolean isReady) {
    if (isReady) {
      answeredNanos.put(worker, System.nanoTime());
    }
    return isReady;
  }
}
