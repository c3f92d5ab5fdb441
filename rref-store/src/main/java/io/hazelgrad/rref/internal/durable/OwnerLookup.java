package io.hazelgrad.rref.internal.durable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.rref.internal.common.BackgroundRunner;
import io.hazelgrad.rref.internal.handle.HandleTable;
import io.hazelgrad.rref.internal.handle.RRefHandle;
import io.hazelgrad.rref.internal.protocol.CommandReply;
import io.hazelgrad.rref.internal.protocol.Entry;
import io.hazelgrad.rref.internal.protocol.RRefState;
import io.hazelgrad.rref.internal.registry.RegistryMap;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds the present owner of a durable object when the owner that a handle names is lost. It polls
 * the registry, less and less often, until another worker has adopted the object. No thread waits.
 * Threads: safe.
 */
public final class OwnerLookup {
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  /** Stands for no deadline, in nanoseconds: 146 years. */
  private static final long NO_DEADLINE = Long.MAX_VALUE / 2;

  /** The search of one call for the owner. */
  private final class Search {
    final RRefHandle handle;
    final Worker gone;
    final long deadlineNanos;
    final CompletableFuture<Worker> found = new CompletableFuture<>();
    long pauseMillis = FIRST_PAUSE_MILLIS;

    /** The time since which there has been no entry; zero while there is one. */
    long missingNanos;

    Search(RRefHandle handle, Worker gone, long deadlineNanos) {
      this.handle = handle;
      this.gone = gone;
      this.deadlineNanos = deadlineNanos;
    }

    void begin() {
      searches.add(this);
      var unused = found.whenComplete((owner, failure) -> searches.remove(this));
      if (deadlineNanos - System.nanoTime() < NO_DEADLINE / 2) { // Otherwise it ends with the grid.
        endInTime();
      }
      look();
      if (context.ended() != null) { // Either this thread or close() sees the search.
        closing();
      }
    }

    /** Ends the search at the deadline even if the member that keeps the entry does not reply. */
    private void endInTime() {
      long left = Math.max(0, deadlineNanos - System.nanoTime());
      try {
        Runnable giveUp = () -> background.execute(this::giveUp);
        ScheduledFuture<?> end = context.timer().schedule(giveUp, left, TimeUnit.NANOSECONDS);
        var unused = found.whenComplete((owner, failure) -> end.cancel(false));
      } catch (RejectedExecutionException e) {
        closing();
      }
    }

    private void giveUp() {
      found.completeExceptionally(
          new GridException(
              Status.TIMEOUT,
              "%s had no owner before the deadline after worker %s was lost"
                  .formatted(handle.id(), gone.name())));
    }

    void closing() {
      GridException ended = context.ended();
      found.completeExceptionally(
          ended == null ? new CancellationException("the grid is closing") : ended);
    }

    void look() {
      var unused =
          registry
              .entry(handle.id())
              .whenCompleteAsync(
                  (entry, failure) -> {
                    try {
                      if (failure != null || !ends(entry)) {
                        lookAgain();
                      }
                    } catch (RuntimeException e) { // Most likely this grid is closing.
                      found.completeExceptionally(e);
                    }
                  },
                  background);
    }

    /** Ends the search if the entry tells the outcome; returns whether it does. */
    private boolean ends(Entry entry) {
      Worker owner =
          entry.state() == RRefState.READY ? context.directory().byId(entry.owner()) : null;
      if (owner != null && owner.id() != gone.id()) {
        handle.moveTo(owner);
        return found.complete(owner);
      }
      return switch (entry.state()) {
        case LOST, GONE, FAILED, TIMED_OUT -> found.completeExceptionally(refused(entry.state()));
        case ABSENT, EXPECTED -> isMissingTooLong() && found.completeExceptionally(lost());
        case CREATING, READY, ORPHANED -> {
          missingNanos = 0;
          yield false;
        }
      };
    }

    /** Allows a living owner three rounds in which it restores a lost entry. */
    private boolean isMissingTooLong() {
      long now = System.nanoTime();
      if (missingNanos == 0) {
        missingNanos = now;
      }
      return now - missingNanos > context.reconcileEvery().multipliedBy(3).toNanos();
    }

    private GridException refused(RRefState state) {
      return registry.refused(
          handle.id(), gone, new CommandReply(CommandReply.Verdict.REFUSED, state));
    }

    private GridException lost() {
      return new GridException(
          Status.RREF_LOST,
          handle.id() + " is lost with worker " + gone.name() + " and its stored value");
    }

    private void lookAgain() {
      if (!found.isDone()) { // Otherwise the deadline has passed, or the caller gave up.
        CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, context.background())
            .execute(this::look);
        pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
      }
    }
  }

  private final GridContext context;
  private final RegistryMap registry;
  private final HandleTable handles;
  private final BackgroundRunner background;

  /** The searches under way. A closed grid runs nothing later, so closing ends them. */
  private final Set<Search> searches = ConcurrentHashMap.newKeySet();

  public OwnerLookup(GridContext context, RegistryMap registry, HandleTable handles) {
    this.context = context;
    this.registry = registry;
    this.handles = handles;
    this.background = new BackgroundRunner(context);
    context.onClose(() -> searches.forEach(Search::closing));
  }

  /** Returns the end of a deadline in the time of System.nanoTime(); a zero deadline never ends. */
  static long deadline(Duration timeout) {
    long nanos = timeout.isZero() ? NO_DEADLINE : TimeUnit.NANOSECONDS.convert(timeout);
    return System.nanoTime() + Math.min(nanos, NO_DEADLINE);
  }

  /** Finds the owner after one that is lost, within a {@link #deadline}. */
  CompletableFuture<Worker> find(RRefHandle handle, Worker gone, long deadlineNanos) {
    Worker known = handle.owner();
    if (known.id() != gone.id()) { // Another call has found it.
      return CompletableFuture.completedFuture(known);
    }
    Search search = new Search(handle, gone, deadlineNanos);
    search.begin();
    return search.found;
  }

  /** Returns the living owner of a handle; waits for the next one if the known one is lost. */
  public Worker current(RRefHandle handle, Duration timeout) {
    Worker known = handle.owner();
    return !handle.isDurable() || isLiving(known)
        ? known
        : context.await(find(handle, known, deadline(timeout)));
  }

  /** Returns whether a worker is in the grid, as far as this one knows. */
  boolean isLiving(Worker worker) {
    return worker.id() == context.self().id() || context.directory().isLiving(worker);
  }

  /** Updates the owner of all handles whose owner is out of date; part of reconciliation. */
  public void refresh(Predicate<Worker> outdated) {
    for (RRefHandle handle : handles.all()) {
      if (handle.isDurable() && outdated.test(handle.owner())) {
        Entry entry = registry.entry(handle.id()).join();
        Worker owner =
            entry.state() == RRefState.READY ? context.directory().byId(entry.owner()) : null;
        if (owner != null) {
          handle.moveTo(owner);
        }
      }
    }
  }
}
