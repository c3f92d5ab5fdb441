package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The workers that wait in one rendezvous, as an immutable value. Each event gives a new value and
 * the replies that it causes.
 *
 * <p>Each worker has a queue of arrivals, one for each of its waiting threads. As soon as every
 * expected worker has an arrival, the first of each queue form a complete round. A worker that
 * gives up withdraws its arrival without effect on others: it stays expected, and may arrive again.
 * The loss of an expected worker ends the wait of all. A worker that leaves in good order also ends
 * it, except in an elastic rendezvous (over all workers), which goes on without it. An elastic
 * rendezvous expects all workers that any of its arrivals has seen.
 *
 * @param queues the arrivals of each worker by its id; no queue is empty
 * @param gaveUp the workers that gave up and have not arrived again, by id
 */
record RendezvousRound(
    RendezvousId rendezvous,
    long version,
    SortedMap<Long, List<Arrival>> queues,
    SortedMap<Long, Worker> gaveUp) {

  record Outcome(List<Arrival> recipients, ArrivalReply reply) {
    Outcome(Arrival recipient, ArrivalReply reply) {
      this(List.of(recipient), reply);
    }
  }

  record Step(RendezvousRound round, List<Outcome> outcomes) {}

  RendezvousRound {
    queues = Collections.unmodifiableSortedMap(new TreeMap<>(queues));
    gaveUp = Collections.unmodifiableSortedMap(new TreeMap<>(gaveUp));
  }

  /** Returns the state before the first arrival. */
  static RendezvousRound empty(Arrival first) {
    return new RendezvousRound(
        first.rendezvous(), first.version(), new TreeMap<>(), new TreeMap<>());
  }

  boolean isOver() {
    return queues.isEmpty();
  }

  /** Returns whether it belongs to an older version of a list. */
  boolean isOlder(String list, long newest) {
    return rendezvous.scope() == RendezvousId.Scope.LISTED
        && rendezvous.group().equals(list)
        && version < newest;
  }

  /** Returns the workers that must arrive, by id. */
  SortedMap<Long, Worker> expected() {
    SortedMap<Long, Worker> expected = new TreeMap<>();
    for (Arrival arrival : waiting()) {
      expected.put(arrival.worker().id(), arrival.worker());
      arrival.members().forEach(member -> expected.put(member.id(), member));
    }
    return expected;
  }

  /** Returns all waiting arrivals in the order of their workers' ids. */
  List<Arrival> waiting() {
    return queues.values().stream().flatMap(List::stream).toList();
  }

  /** Returns the expected workers that do not wait. */
  Collection<Worker> awaited() {
    SortedMap<Long, Worker> awaited = expected();
    awaited.keySet().removeAll(queues.keySet());
    return awaited.values();
  }

  Step arrive(Arrival arrival) {
    long id = arrival.worker().id();
    if (queues.containsKey(id) && !rendezvous.key().isEmpty()) {
      ArrivalReply twice = ArrivalReply.of(Kind.TWICE, List.of(arrival.worker()));
      return new Step(this, List.of(new Outcome(arrival, twice)));
    }
    SortedMap<Long, List<Arrival>> longer = new TreeMap<>(queues);
    longer.merge(id, List.of(arrival), RendezvousRound::join);
    SortedMap<Long, Worker> still = new TreeMap<>(gaveUp);
    still.remove(id);
    return new RendezvousRound(rendezvous, version, longer, still).takeComplete(new ArrayList<>());
  }

  /** Withdraws an arrival whose deadline has passed, or that was cancelled. */
  Step giveUp(long ticket) {
    for (Arrival arrival : waiting()) {
      if (arrival.ticket() == ticket) {
        List<Worker> missing =
            awaited().stream().filter(worker -> !gaveUp.containsKey(worker.id())).toList();
        SortedMap<Long, Worker> others = new TreeMap<>(gaveUp);
        others.keySet().retainAll(expected().keySet());
        ArrivalReply reply = ArrivalReply.missing(missing, List.copyOf(others.values()));
        RendezvousRound rest = mapped(other -> other.ticket() == ticket ? null : other);
        SortedMap<Long, Worker> without = new TreeMap<>(gaveUp);
        if (!rest.queues.containsKey(arrival.worker().id())) {
          without.put(arrival.worker().id(), arrival.worker());
        }
        // A worker that only this arrival has seen is no longer expected.
        return new RendezvousRound(rendezvous, version, rest.queues, without)
            .takeComplete(new ArrayList<>(List.of(new Outcome(arrival, reply))));
      }
    }
    return unchanged();
  }

  Step unchanged() {
    return new Step(this, List.of());
  }

  /** Removes a worker that has left in good order. */
  Step left(Worker worker) {
    if (!expected().containsKey(worker.id())) {
      return unchanged();
    }
    ArrivalReply left = ArrivalReply.of(Kind.LEFT, List.of(worker));
    if (!rendezvous.isElastic()) {
      return endAll(left);
    }
    List<Outcome> outcomes = new ArrayList<>();
    List<Arrival> own = queues.get(worker.id());
    if (own != null) { // The worker is gone, but its calls must end.
      outcomes.add(new Outcome(own, left));
    }
    RendezvousRound rest =
        mapped(other -> other.worker().id() == worker.id() ? null : other.without(worker));
    SortedMap<Long, Worker> without = new TreeMap<>(gaveUp);
    without.remove(worker.id());
    return new RendezvousRound(rendezvous, version, rest.queues, without).takeComplete(outcomes);
  }

  /** Ends the wait of all if the lost worker was expected. */
  Step lost(Worker worker) {
    return expected().containsKey(worker.id())
        ? endAll(ArrivalReply.of(Kind.LOST, List.of(worker)))
        : unchanged();
  }

  Step endAll(ArrivalReply reply) {
    RendezvousRound over = mapped(arrival -> null);
    return new Step(over, isOver() ? List.of() : List.of(new Outcome(waiting(), reply)));
  }

  /** Takes out all complete rounds; after a worker has left there may be more than one. */
  private Step takeComplete(List<Outcome> outcomes) {
    RendezvousRound rest = this;
    while (!rest.isOver() && rest.awaited().isEmpty()) {
      List<Arrival> first = rest.queues.values().stream().map(queue -> queue.get(0)).toList();
      outcomes.add(new Outcome(first, ArrivalReply.done(first)));
      rest = rest.mapped(arrival -> first.contains(arrival) ? null : arrival);
    }
    return new Step(rest, outcomes);
  }

  private RendezvousRound mapped(UnaryOperator<@Nullable Arrival> change) {
    SortedMap<Long, List<Arrival>> changed = new TreeMap<>();
    for (Arrival arrival : waiting()) {
      Arrival next = change.apply(arrival);
      if (next != null) {
        changed.merge(next.worker().id(), List.of(next), RendezvousRound::join);
      }
    }
    return new RendezvousRound(rendezvous, version, changed, gaveUp);
  }

  private static List<Arrival> join(List<Arrival> queue, List<Arrival> more) {
    List<Arrival> joined = new ArrayList<>(queue);
    joined.addAll(more);
    return List.copyOf(joined);
  }
}
