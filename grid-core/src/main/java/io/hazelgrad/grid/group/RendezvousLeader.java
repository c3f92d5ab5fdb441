package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Leads the rounds that others bring to this worker: an arrival is a call whose answer is a stage,
 * so no thread waits. What happens is decided by {@link RendezvousRounds}; here are time, messages
 * and the news of workers.
 *
 * <p>The leader of a meeting is the worker with the smallest id of its members, so it is one of
 * them: where it is lost, the round would have failed anyway. Over all workers two of them may see
 * different ones for a moment. Hence the review: it hands the rounds of a meeting over when it
 * finds a worker with a smaller id than this one's, and it finds awaited workers that are gone
 * although no news of that came.
 *
 * <p>Threads: safe. The rounds are guarded by the monitor; stages are completed outside of it.
 */
final class RendezvousLeader {
  /** How long a worker that is awaited may be absent from the directory. */
  private static final long NEWS_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final GridContext context;
  private final RendezvousRounds rounds = new RendezvousRounds();
  private final Map<Long, CompletableFuture<Object>> waiting = new ConcurrentHashMap<>();
  private final Map<Long, Long> absentSince = new ConcurrentHashMap<>();
  private long tickets;
  private boolean closed;

  RendezvousLeader(GridContext context) {
    this.context = context;
  }

  /** Answers an arrival. */
  CompletableFuture<Object> arrive(List<@Nullable Object> arguments, Incoming request) {
    ArrivalRequest arriving = ArrivalRequest.read(arguments);
    CompletableFuture<Object> stage = new CompletableFuture<>();
    List<RoundOutcome> outcomes;
    long ticket;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(verdictOfTheClosed(arriving.meeting()).write());
      }
      ticket = ++tickets;
      waiting.put(ticket, stage);
      outcomes = rounds.arrive(arriving.by(request.call().caller(), ticket));
    }
    answer(outcomes);
    if (!stage.isDone()) {
      giveUpLater(ticket, stage, arriving.remainingNanos());
    }
    return stage;
  }

  private ArrivalReply verdictOfTheClosed(RendezvousId meeting) {
    return meeting.isElastic()
        ? ArrivalReply.of(Kind.MOVED, List.of())
        : ArrivalReply.of(Kind.LEFT, List.of(context.self()));
  }

  private void giveUpLater(long ticket, CompletableFuture<Object> stage, long nanos) {
    Future<?> timer =
        nanos == Long.MAX_VALUE
            ? CompletableFuture.completedFuture(null)
            : context.timer().schedule(() -> giveUp(ticket), nanos, TimeUnit.NANOSECONDS);
    var unused =
        stage.whenComplete(
            (answer, failure) -> {
              timer.cancel(false);
              if (failure != null) { // The call was cancelled.
                giveUp(ticket);
              }
            });
  }

  private void giveUp(long ticket) {
    List<RoundOutcome> outcomes;
    synchronized (this) {
      outcomes = rounds.giveUp(ticket);
    }
    answer(outcomes);
  }

  /** Hears of a worker that is gone. */
  void gone(Worker worker) {
    boolean left = context.hasLeft(worker.id());
    List<RoundOutcome> outcomes;
    synchronized (this) {
      outcomes = left ? rounds.left(worker) : rounds.lost(worker);
    }
    answer(outcomes);
  }

  /** Compares what is waited for with the directory. */
  void review() {
    Set<Worker> awaited;
    synchronized (this) {
      if (rounds.isEmpty()) {
        absentSince.clear();
        return;
      }
      awaited = rounds.awaited();
    }
    Map<Long, Worker> living = context.living();
    long self = context.self().id();
    if (living.keySet().stream().anyMatch(id -> id < self && !context.hasLeft(id))) {
      List<RoundOutcome> moved;
      synchronized (this) {
        moved = rounds.move(RendezvousId::isElastic);
      }
      answer(moved);
    }
    absentSince.keySet().removeAll(living.keySet());
    long now = System.nanoTime();
    for (Worker worker : awaited) {
      if (!living.containsKey(worker.id())
          && now - absentSince.computeIfAbsent(worker.id(), id -> now) > NEWS_NANOS) {
        gone(worker);
      }
    }
  }

  /** Hands over what can be, and ends the rest: this worker leaves. */
  void close() {
    List<RoundOutcome> left;
    List<RoundOutcome> moved;
    synchronized (this) {
      closed = true;
      left = rounds.left(context.self());
      moved = rounds.move(meeting -> true);
    }
    answer(left);
    answer(moved);
  }

  private void answer(List<RoundOutcome> outcomes) {
    for (RoundOutcome outcome : outcomes) {
      for (Arrival arrival : outcome.to()) {
        CompletableFuture<Object> stage = waiting.remove(arrival.ticket());
        if (stage != null) {
          stage.complete(outcome.verdict().write());
        }
      }
    }
  }

  /** Returns how many arrivals wait here. */
  int waiting() {
    return waiting.size();
  }
}
