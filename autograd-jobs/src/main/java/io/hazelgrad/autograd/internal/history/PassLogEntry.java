package io.hazelgrad.autograd.internal.history;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A backward pass in its initiator's {@link PassLog}.
 *
 * <p>Threads: safe.
 */
public final class PassLogEntry {
  private static final int MOST_TEXT = 1000;
  private static final double NANOS = 1e6;

  private final long number;
  private final ContextId context;
  private final long startNanos = System.nanoTime();
  private @Nullable Plan plan;
  private @Nullable PassId id;
  private Set<UUID> hosts = Set.of();
  private long endNanos;
  private PassInfo.State state = PassInfo.State.RUNNING;
  private @Nullable Throwable failure;
  private @Nullable Instant started;

  PassLogEntry(long number, ContextId context) {
    this.number = number;
    this.context = context;
  }

  long number() {
    return number;
  }

  ContextId context() {
    return context;
  }

  public synchronized void planned(Plan made) {
    plan = made;
  }

  /**
   * An attempt begins.
   *
   * @param members those that count what is taken in it
   */
  public synchronized void attempt(PassId attempt, Collection<UUID> members) {
    id = attempt;
    hosts = Set.copyOf(members);
  }

  /** The pass ends, unless it has ended before. */
  synchronized boolean ended(@Nullable Throwable why) {
    if (hasEnded()) {
      return false;
    }
    endNanos = System.nanoTime();
    failure = why;
    state = why == null ? PassInfo.State.COMMITTED : PassInfo.State.ABORTED;
    return true;
  }

  synchronized long nanos() {
    return endNanos - startNanos;
  }

  /** Returns for how long it has been over; 0 while it runs. */
  synchronized long overNanos() {
    return state == PassInfo.State.RUNNING ? 0 : System.nanoTime() - endNanos;
  }

  synchronized boolean hasEnded() {
    return state != PassInfo.State.RUNNING;
  }

  synchronized boolean hasFailed() {
    return state == PassInfo.State.ABORTED;
  }

  /** Returns the last attempt, or null if there was none. */
  synchronized @Nullable PassId id() {
    return id;
  }

  /** Returns the members that have counted what was taken in the last attempt. */
  synchronized Set<UUID> hosts() {
    return hosts;
  }

  /** Returns what is known as of now. */
  synchronized PassInfo info(Worker initiator, boolean isClient, @Nullable Long bytes) {
    if (started == null) {
      started = Instant.now().minusNanos(System.nanoTime() - startNanos);
    }
    return new PassInfo(
        context.text(),
        id == null ? null : id.key().toString(),
        id == null ? 0 : id.attempt(),
        state,
        initiator.name(),
        isClient,
        workers(initiator),
        plan == null ? 0 : plan.waves(),
        plan == null ? 0 : plan.messages().size(),
        state == PassInfo.State.RUNNING ? null : bytes,
        started,
        state == PassInfo.State.RUNNING ? null : (endNanos - startNanos) / NANOS,
        status(),
        error());
  }

  private List<String> workers(Worker initiator) {
    Plan known = plan;
    return known == null
        ? List.of(initiator.name())
        : known.participants().stream().map(known::name).toList();
  }

  private @Nullable String status() {
    if (failure == null) {
      return null;
    }
    return (failure instanceof GridException e ? e.status() : Status.INTERNAL).name();
  }

  private @Nullable String error() {
    if (failure == null) {
      return null;
    }
    String text =
        failure instanceof GridException && failure.getMessage() != null
            ? failure.getMessage()
            : failure.toString();
    return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "...";
  }
}
