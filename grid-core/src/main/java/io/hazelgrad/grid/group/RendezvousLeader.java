package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.group.RendezvousRound.Outcome;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leads the rounds whose arrivals come to this worker. An arrival is a call that is answered by a
 * future, so no thread waits. {@link RendezvousRounds} decides; this class adds time, messages and
 * the news about workers.
 *
 * <p>The leader of a rendezvous is the member with the smallest id. If it is lost, the round has
 * lost a member and would have failed anyway. In a rendezvous of all workers, two workers may see
 * different leaders for a moment. The periodic review therefore hands rounds over when it finds a
 * worker with a smaller id than this one's. It also finds awaited workers that are gone without
 * news of it.
 *
 * <p>Threads: safe. The monitor guards the rounds; futures are completed outside of it.
 */
final class RendezvousLeader {
  /** The time after which an awaited worker that is absent from the directory counts as lost. */
  private static final long ABSENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final GridContext context;
  private final RendezvousRounds rounds = new RendezvousRounds();
  private final Map<Long, CompletableFuture<Object>> waiting = new ConcurrentHashMap<>();
  private final Map<Long, Long> absentSince = new ConcurrentHashMap<>();
  private final AtomicLong tickets = new AtomicLong();
  private boolean closed;

  RendezvousLeader(GridContext context) {
    this.context = context;
  }

  CompletableFuture<Object> arrive(List<@Nullable Object> arguments, Incoming request) {
    CompletableFuture<Object> stage = new CompletableFuture<>();
    Arrival arrival = Arrival.read(tickets.incrementAndGet(), request.call().caller(), arguments);
    List<Outcome> outcomes;
    synchronized (this) {
      if (closed) {
        ArrivalReply reply =
            arrival.rendezvous().isElastic()
                ? ArrivalReply.of(Kind.MOVED, List.of())
                : ArrivalReply.of(Kind.LEFT, List.of(context.self()));
        return CompletableFuture.completedFuture(reply.write());
      }
      waiting.put(arrival.ticket(), stage);
      outcomes = rounds.arrive(arrival);
    }
    answer(outcomes);
    if (!stage.isDone()) {
      giveUpLater(arrival.ticket(), stage, arrival.remainingNanos());
    }
    return stage;
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
    apply(() -> rounds.giveUp(ticket));
  }

  /** Notes that a worker has left or was lost. */
  void lost(Worker worker) {
    boolean left = context.directory().hasLeft(worker.id());
    apply(() -> left ? rounds.left(worker) : rounds.lost(worker));
  }

  /** Compares the awaited workers with the directory. */
  void review() {
    Set<Worker> awaited;
    synchronized (this) {
      if (rounds.isEmpty()) {
        absentSince.clear();
        return;
      }
      awaited = rounds.awaited();
    }
    Map<Long, Worker> living = context.directory().living();
    long self = context.self().id();
    if (living.keySet().stream().anyMatch(id -> id < self && !context.directory().hasLeft(id))) {
      apply(() -> rounds.move(RendezvousId::isElastic));
    }
    absentSince.keySet().removeAll(living.keySet());
    long now = System.nanoTime();
    for (Worker worker : awaited) {
      if (!living.containsKey(worker.id())
          && now - absentSince.computeIfAbsent(worker.id(), id -> now) > ABSENT_NANOS) {
        lost(worker);
      }
    }
  }

  /** Hands over the rounds that other workers can lead, and ends the others. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    apply(() -> rounds.left(context.self()));
    apply(() -> rounds.move(rendezvous -> true));
  }

  private void apply(Supplier<List<Outcome>> event) {
    List<Outcome> outcomes;
    synchronized (this) {
      outcomes = event.get();
    }
    answer(outcomes);
  }

  private void answer(List<Outcome> outcomes) {
    for (Outcome outcome : outcomes) {
      for (Arrival waiter : outcome.recipients()) {
        CompletableFuture<Object> stage = waiting.remove(waiter.ticket());
        if (stage != null) {
          stage.complete(outcome.reply().write());
        }
      }
    }
  }

  int waiting() {
    return waiting.size();
  }
}
