package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Tells the others that this worker is leaving, before it does, and hears the same from them. So
 * they can tell who left from who was lost.
 *
 * <p>Threads: safe.
 */
final class LeaveNotice {
  static final String SERVICE = "group.leaving";

  /** How long the others may take to hear it; one that is frozen must not hold this one up. */
  private static final Duration PATIENCE = Duration.ofMillis(500);

  /** What a worker says about itself. */
  enum Way {
    /** It will leave; new work should go elsewhere. */
    ALONE,
    /** It is ready to leave with all others. */
    TOGETHER,
    /** It goes now. */
    GOODBYE
  }

  private final GridContext context;
  private final Map<Long, Way> heard = new ConcurrentHashMap<>();

  LeaveNotice(GridContext context) {
    this.context = context;
  }

  /** Tells the others, and waits for a moment until they have heard it. */
  void announce(Way way) {
    if (!context.hazelcast().getLifecycleService().isRunning()) {
      return;
    }
    List<CompletableFuture<?>> told = new ArrayList<>();
    LivingWorkers.others(context).forEach(worker -> told.add(tell(worker, way)));
    try {
      CompletableFuture.allOf(told.toArray(new CompletableFuture<?>[0]))
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return; // Who did not hear it will say that this worker was lost; no harm beyond the word.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<?> tell(Worker worker, Way way) {
    try {
      return context.call(worker, SERVICE, Collections.singletonList(way.name()), PATIENCE);
    } catch (GridException e) {
      return CompletableFuture.completedFuture(null); // It is gone itself.
    }
  }

  /** Hears it from another worker. */
  @Nullable Object heard(List<@Nullable Object> arguments, Incoming request) {
    Worker worker = request.call().caller();
    Way way = Way.valueOf(String.valueOf(arguments.get(0)));
    if (way == Way.GOODBYE) {
      context.noteLeft(worker);
    } else {
      heard.put(worker.id(), way);
    }
    return null;
  }

  void gone(Worker worker) {
    heard.remove(worker.id());
  }

  /** Returns whether a worker has said that it will leave, and others stay. */
  boolean isAlone(long id) {
    return heard.get(id) == Way.ALONE;
  }

  /** Returns whether a worker has said that it is ready to leave with all others. */
  boolean isTogether(long id) {
    return heard.get(id) == Way.TOGETHER;
  }
}
