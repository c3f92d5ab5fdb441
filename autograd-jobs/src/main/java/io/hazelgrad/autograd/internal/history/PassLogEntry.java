package io.hazelgrad.autograd.internal.history;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.internal.participant.PassMeasurement;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A backward pass in its initiator's {@link PassLog}. Threads: safe. */
public final class PassLogEntry {
  private static final int MAX_TEXT = 1000;

  private final long number;
  private final ContextId context;
  private final LongSupplier clock;
  private final long startNanos;
  private @Nullable Plan plan;
  private @Nullable PassId id;
  private Set<UUID> hosts = Set.of();
  private long endNanos;
  private PassInfo.State state = PassInfo.State.RUNNING;
  private @Nullable Throwable failure;
  private @Nullable Instant started;

  PassLogEntry(long number, ContextId context, LongSupplier clock) {
    this.number = number;
    this.context = context;
    this.clock = clock;
    this.startNanos = clock.getAsLong();
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

  /** Begins an attempt, in which these members count the gradients taken. */
  public synchronized void attempt(PassId attempt, Collection<UUID> members) {
    id = attempt;
    hosts = Set.copyOf(members);
  }

  /** Ends the pass; returns false if it has ended already. */
  synchronized boolean ended(@Nullable Throwable why) {
    if (hasEnded()) {
      return false;
    }
    endNanos = clock.getAsLong();
    failure = why;
    state = why == null ? PassInfo.State.COMMITTED : PassInfo.State.ABORTED;
    return true;
  }

  synchronized long nanos() {
    return endNanos - startNanos;
  }

  /** Returns the time since the end in nanoseconds; 0 while it runs. */
  synchronized long overNanos() {
    return !hasEnded() ? 0 : clock.getAsLong() - endNanos;
  }

  synchronized boolean hasEnded() {
    return state != PassInfo.State.RUNNING;
  }

  /** Returns the last attempt, or null if there was none. */
  synchronized @Nullable PassId id() {
    return id;
  }

  /** Returns the members that counted the gradients of the last attempt. */
  synchronized Set<UUID> hosts() {
    return hosts;
  }

  synchronized PassInfo info(Worker initiator, boolean isClient, PassMeasurement measured) {
    if (started == null) {
      started = Instant.now().minusNanos(clock.getAsLong() - startNanos);
    }
    return new PassInfo(
        context.text(),
        id == null ? null : id.key().toString(),
        id == null ? 0 : id.attempt(),
        state,
        initiator.name(),
        isClient,
        plan == null
            ? List.of(initiator.name())
            : plan.participants().stream().map(plan::name).toList(),
        plan == null ? 0 : plan.waves(),
        plan == null ? 0 : plan.messages().size(),
        hasEnded() ? measured.bytes() : null,
        started,
        hasEnded() ? nanos() / 1e6 : null,
        failure == null
            ? null
            : (failure instanceof GridException e ? e.status() : Status.INTERNAL).name(),
        failure == null ? null : text(failure),
        measured.waves());
  }

  private static String text(Throwable failure) {
    String text =
        failure instanceof GridException && failure.getMessage() != null
            ? failure.getMessage()
            : failure.toString();
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
  }
}
