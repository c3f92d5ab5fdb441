package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A value that others may take. It may be taken before this worker knows who the others are: they
 * may have heard first that the round is complete.
 *
 * <p>Threads: safe.
 */
final class GatherOffer {
  private final long number;
  private final @Nullable Object value;
  private final CompletableFuture<@Nullable Void> taken;
  private final Set<Long> done = new HashSet<>();
  private @Nullable List<Worker> takers;

  GatherOffer(long number, @Nullable Object value, CompletableFuture<@Nullable Void> taken) {
    this.number = number;
    this.value = value;
    this.taken = taken;
  }

  long number() {
    return number;
  }

  @Nullable Object value() {
    return value;
  }

  /** Returns what ends when all others have taken the value, or one of them cannot. */
  CompletableFuture<@Nullable Void> taken() {
    return taken;
  }

  /** Says who is to take the value. */
  void takers(List<Worker> others) {
    synchronized (this) {
      takers = others;
    }
    check();
  }

  /** A worker has taken the value, or never will. */
  void notAwaited(long worker) {
    synchronized (this) {
      done.add(worker);
    }
    check();
  }

  /** Returns the names of those who have not taken the value yet. */
  synchronized List<String> missing() {
    return takers == null
        ? List.of()
        : takers.stream().filter(w -> !done.contains(w.id())).map(Worker::name).sorted().toList();
  }

  void refused(GridException why) {
    taken.completeExceptionally(why);
  }

  private void check() {
    boolean all;
    synchronized (this) {
      all = takers != null && missing().isEmpty();
    }
    if (all) {
      taken.complete(null);
    }
  }
}
