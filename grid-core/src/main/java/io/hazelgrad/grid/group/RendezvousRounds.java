package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The meetings that one worker leads, without threads, time or messages: each event returns who is
 * answered what.
 *
 * <p>Workers that are gone are remembered for a while: an arrival may have left before its sender
 * heard of that.
 *
 * <p>Threads: none; whoever uses it guards it.
 */
final class RendezvousRounds {
  private static final int REMEMBERED = 1_000;

  private final Map<RendezvousId, RendezvousRound> open = new HashMap<>();
  private final Map<Long, Kind> gone = bounded();
  private final Map<String, Long> newestVersions = bounded();

  /** A worker comes to a meeting. */
  List<RoundOutcome> arrive(Arrival first) {
    List<RoundOutcome> outcomes = new ArrayList<>();
    Arrival arrival = first;
    if (first.meeting().isElastic()) {
      for (Worker member : first.members()) {
        arrival = gone.containsKey(member.id()) ? arrival.without(member) : arrival;
      }
    } else {
      ArrivalReply refused = refused(arrival, outcomes);
      if (refused != null) {
        outcomes.add(new RoundOutcome(arrival, refused));
        return outcomes;
      }
    }
    RendezvousRound round = open.getOrDefault(arrival.meeting(), RendezvousRound.before(arrival));
    apply(round.arrive(arrival), outcomes);
    return outcomes;
  }

  /** Somebody who waits gives up. */
  List<RoundOutcome> giveUp(long ticket) {
    return each(round -> round.giveUp(ticket));
  }

  /** A worker has left orderly. */
  List<RoundOutcome> left(Worker worker) {
    gone.put(worker.id(), Kind.LEFT);
    return each(round -> round.left(worker));
  }

  /** A worker was lost. */
  List<RoundOutcome> lost(Worker worker) {
    gone.put(worker.id(), Kind.LOST);
    return each(round -> round.lost(worker));
  }

  /** Another worker is to lead these meetings. */
  List<RoundOutcome> move(Predicate<RendezvousId> which) {
    return end(round -> which.test(round.meeting()), ArrivalReply.of(Kind.MOVED, List.of()));
  }

  /** Returns whether nobody waits. */
  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Returns for whom somebody waits. */
  Set<Worker> awaited() {
    return open.values().stream()
        .flatMap(round -> round.awaited().stream())
        .collect(Collectors.toSet());
  }

  /** Returns why an arrival cannot take part, or null. May end rounds that it makes obsolete. */
  private @Nullable ArrivalReply refused(Arrival arrival, List<RoundOutcome> outcomes) {
    for (Worker member : arrival.members()) {
      Kind how = gone.get(member.id());
      if (how != null) {
        return ArrivalReply.of(how, List.of(member));
      }
    }
    if (arrival.meeting().whom() == RendezvousId.Scope.LISTED) {
      String list = arrival.meeting().group();
      long newest = newestVersions.merge(list, arrival.version(), Math::max);
      if (arrival.version() < newest) {
        return ArrivalReply.outdated(newest);
      }
      outcomes.addAll(end(round -> round.isOlder(list, newest), ArrivalReply.outdated(newest)));
    }
    RendezvousRound round = open.get(arrival.meeting());
    return round == null ? null : otherMembers(arrival, round, outcomes);
  }

  /** Compares with those who wait: a name may have been taken by another worker meanwhile. */
  private @Nullable ArrivalReply otherMembers(
      Arrival arrival, RendezvousRound round, List<RoundOutcome> outcomes) {
    List<Worker> mine = new ArrayList<>(arrival.members());
    mine.removeAll(round.expected().values());
    List<Worker> theirs = new ArrayList<>(round.expected().values());
    theirs.removeAll(arrival.members());
    if (mine.isEmpty() && theirs.isEmpty()) {
      return null;
    }
    if (arrival.meeting().whom() == RendezvousId.Scope.LISTED) {
      return ArrivalReply.of(Kind.OTHER_MEMBERS, List.of());
    }
    // The same names, so one side knows an older worker of some name. Ids only grow.
    for (Worker worker : mine) {
      if (theirs.stream().anyMatch(w -> w.name().equals(worker.name()) && w.id() > worker.id())) {
        return ArrivalReply.of(Kind.REPLACED, List.of(worker));
      }
    }
    outcomes.addAll(end(round::equals, ArrivalReply.of(Kind.REPLACED, theirs)));
    return null;
  }

  private List<RoundOutcome> end(Predicate<RendezvousRound> which, ArrivalReply verdict) {
    return each(
        round ->
            which.test(round) ? round.ended(verdict) : new RendezvousRound.Step(round, List.of()));
  }

  private List<RoundOutcome> each(Function<RendezvousRound, RendezvousRound.Step> event) {
    List<RoundOutcome> outcomes = new ArrayList<>();
    List.copyOf(open.values()).forEach(round -> apply(event.apply(round), outcomes));
    return outcomes;
  }

  private void apply(RendezvousRound.Step step, List<RoundOutcome> outcomes) {
    outcomes.addAll(step.outcomes());
    if (step.round().isOver()) {
      open.remove(step.round().meeting());
    } else {
      open.put(step.round().meeting(), step.round());
    }
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > REMEMBERED;
      }
    };
  }
}
