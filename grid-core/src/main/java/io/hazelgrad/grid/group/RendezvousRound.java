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
 * Those who wait in one meeting, as a pure value: each event makes another one and says who is
 * answered what.
 *
 * <p>Each worker has a line of arrivals, one for each of its threads that wait. As soon as every
 * expected worker has one, the first of each line have met. Who gives up takes its arrival back and
 * hurts nobody else: it stays expected, and may come again. Whose member was lost ends the wait of
 * all. Who leaves orderly ends it too, except in an elastic meeting (over all workers), which goes
 * on without it. An elastic meeting expects whom any of the arrivals saw.
 *
 * @param meeting what for
 * @param version of the list of members
 * @param lines the arrivals of each worker, by its id; no line is empty
 * @param gaveUp who waited, but gave up and has not come again, by id
 */
record RendezvousRound(
    RendezvousId meeting,
    long version,
    SortedMap<Long, List<Arrival>> lines,
    SortedMap<Long, Worker> gaveUp) {

  /** What is after an event, and the answers that the event caused. */
  record Step(RendezvousRound round, List<RoundOutcome> outcomes) {}

  RendezvousRound {
    lines = Collections.unmodifiableSortedMap(new TreeMap<>(lines));
    gaveUp = Collections.unmodifiableSortedMap(new TreeMap<>(gaveUp));
  }

  /** Makes what an arrival finds that is the first. */
  static RendezvousRound before(Arrival first) {
    return new RendezvousRound(first.meeting(), first.version(), new TreeMap<>(), new TreeMap<>());
  }

  /** Returns whether nobody waits. */
  boolean isOver() {
    return lines.isEmpty();
  }

  /** Returns whether it is of an older version of a list. */
  boolean isOlder(String list, long newest) {
    return meeting.whom() == RendezvousId.Scope.LISTED
        && meeting.group().equals(list)
        && version < newest;
  }

  /** Returns who must come, by id. */
  SortedMap<Long, Worker> expected() {
    SortedMap<Long, Worker> expected = new TreeMap<>();
    for (Arrival arrival : waiting()) {
      expected.put(arrival.worker().id(), arrival.worker());
      arrival.members().forEach(member -> expected.put(member.id(), member));
    }
    return expected;
  }

  /** Returns all who wait, in the order of their workers' ids. */
  List<Arrival> waiting() {
    return lines.values().stream().flatMap(List::stream).toList();
  }

  /** Returns who is expected and does not wait. */
  Collection<Worker> awaited() {
    SortedMap<Long, Worker> awaited = expected();
    awaited.keySet().removeAll(lines.keySet());
    return awaited.values();
  }

  /** A worker comes. */
  Step arrive(Arrival arrival) {
    long id = arrival.worker().id();
    if (lines.containsKey(id) && !meeting.key().isEmpty()) {
      ArrivalReply twice = ArrivalReply.of(Kind.TWICE, List.of(arrival.worker()));
      return new Step(this, List.of(new RoundOutcome(arrival, twice)));
    }
    SortedMap<Long, List<Arrival>> longer = new TreeMap<>(lines);
    longer.merge(id, List.of(arrival), RendezvousRound::join);
    SortedMap<Long, Worker> still = new TreeMap<>(gaveUp);
    still.remove(id);
    return new RendezvousRound(meeting, version, longer, still).met(new ArrayList<>());
  }

  /** The deadline of one who waits has passed, or it cancelled. */
  Step giveUp(long ticket) {
    for (Arrival arrival : waiting()) {
      if (arrival.ticket() == ticket) {
        SortedMap<Long, Worker> missing = new TreeMap<>(expected());
        missing.keySet().removeAll(lines.keySet());
        missing.keySet().removeAll(gaveUp.keySet());
        SortedMap<Long, Worker> others = new TreeMap<>(gaveUp);
        others.keySet().retainAll(expected().keySet());
        ArrivalReply verdict =
            ArrivalReply.missing(List.copyOf(missing.values()), List.copyOf(others.values()));
        RendezvousRound rest = mapped(other -> other.ticket() == ticket ? null : other);
        SortedMap<Long, Worker> without = new TreeMap<>(gaveUp);
        if (!rest.lines.containsKey(arrival.worker().id())) {
          without.put(arrival.worker().id(), arrival.worker());
        }
        // Whom only this arrival saw is not waited for any more.
        return new RendezvousRound(meeting, version, rest.lines, without)
            .met(new ArrayList<>(List.of(new RoundOutcome(arrival, verdict))));
      }
    }
    return new Step(this, List.of());
  }

  /** A worker has left orderly. */
  Step left(Worker worker) {
    if (!expected().containsKey(worker.id())) {
      return new Step(this, List.of());
    }
    ArrivalReply left = ArrivalReply.of(Kind.LEFT, List.of(worker));
    if (!meeting.isElastic()) {
      return ended(left);
    }
    List<RoundOutcome> outcomes = new ArrayList<>();
    List<Arrival> own = lines.getOrDefault(worker.id(), List.of());
    if (!own.isEmpty()) { // Nobody hears it, but the calls must end.
      outcomes.add(new RoundOutcome(own, left));
    }
    RendezvousRound rest =
        mapped(other -> other.worker().id() == worker.id() ? null : other.without(worker));
    SortedMap<Long, Worker> without = new TreeMap<>(gaveUp);
    without.remove(worker.id());
    return new RendezvousRound(meeting, version, rest.lines, without).met(outcomes);
  }

  /** A worker was lost. */
  Step lost(Worker worker) {
    return expected().containsKey(worker.id())
        ? ended(ArrivalReply.of(Kind.LOST, List.of(worker)))
        : new Step(this, List.of());
  }

  /** Ends the wait of all. */
  Step ended(ArrivalReply verdict) {
    RendezvousRound over = new RendezvousRound(meeting, version, new TreeMap<>(), new TreeMap<>());
    return new Step(over, isOver() ? List.of() : List.of(new RoundOutcome(waiting(), verdict)));
  }

  /** Lets go who has met; after a departure that may be more than one round. */
  private Step met(List<RoundOutcome> outcomes) {
    RendezvousRound rest = this;
    while (!rest.isOver() && rest.awaited().isEmpty()) {
      List<Arrival> first = rest.lines.values().stream().map(line -> line.get(0)).toList();
      outcomes.add(new RoundOutcome(first, ArrivalReply.done(first)));
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
    return new RendezvousRound(meeting, version, changed, gaveUp);
  }

  private static List<Arrival> join(List<Arrival> line, List<Arrival> more) {
    List<Arrival> joined = new ArrayList<>(line);
    joined.addAll(more);
    return List.copyOf(joined);
  }
}
