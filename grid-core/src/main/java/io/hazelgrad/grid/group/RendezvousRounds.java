package io.hazelgrad.grid.group;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import io.hazelgrad.grid.group.RendezvousRound.Outcome;
import io.hazelgrad.grid.group.RendezvousRound.Step;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rounds that one worker leads, without threads, time or messages: each event returns the
 * replies that it causes. The caller guards it.
 *
 * <p>Workers that have left or were lost are remembered, up to 1,000: an arrival may have been sent
 * before its sender knew of that.
 */
final class RendezvousRounds {
  private static final int REMEMBERED = 1_000;

  private final Map<RendezvousId, RendezvousRound> open = new HashMap<>();
  private final Map<Long, Kind> gone = new LimitedMap<>(REMEMBERED);
  private final Map<String, Long> newestVersions = new LimitedMap<>(REMEMBERED);

  List<Outcome> arrive(Arrival first) {
    List<Outcome> outcomes = new ArrayList<>();
    Arrival arrival = first;
    if (first.rendezvous().isElastic()) {
      for (Worker member : first.members()) {
        arrival = gone.containsKey(member.id()) ? arrival.without(member) : arrival;
      }
    } else {
      ArrivalReply refused = refused(arrival, outcomes);
      if (refused != null) {
        outcomes.add(new Outcome(arrival, refused));
        return outcomes;
      }
    }
    RendezvousRound round = open.getOrDefault(arrival.rendezvous(), RendezvousRound.empty(arrival));
    apply(round.arrive(arrival), outcomes);
    return outcomes;
  }

  List<Outcome> giveUp(long ticket) {
    return onEach(round -> round.giveUp(ticket));
  }

  List<Outcome> left(Worker worker) {
    gone.put(worker.id(), Kind.LEFT);
    return onEach(round -> round.left(worker));
  }

  List<Outcome> lost(Worker worker) {
    gone.put(worker.id(), Kind.LOST);
    return onEach(round -> round.lost(worker));
  }

  /** Ends the matching rounds: their workers have to ask another leader. */
  List<Outcome> move(Predicate<RendezvousId> which) {
    return end(round -> which.test(round.rendezvous()), ArrivalReply.of(Kind.MOVED, List.of()));
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Returns the workers that others wait for. */
  Set<Worker> awaited() {
    Set<Worker> awaited = new HashSet<>();
    open.values().forEach(round -> awaited.addAll(round.awaited()));
    return awaited;
  }

  /** Returns the refusal of an arrival, or null. A newer list ends the rounds of older ones. */
  private @Nullable ArrivalReply refused(Arrival arrival, List<Outcome> outcomes) {
    for (Worker member : arrival.members()) {
      Kind how = gone.get(member.id());
      if (how != null) {
        return ArrivalReply.of(how, List.of(member));
      }
    }
    if (arrival.rendezvous().scope() == RendezvousId.Scope.LISTED) {
      String list = arrival.rendezvous().group();
      long newest = newestVersions.merge(list, arrival.version(), Math::max);
      if (arrival.version() < newest) {
        return ArrivalReply.outdated(newest);
      }
      outcomes.addAll(end(round -> round.isOlder(list, newest), ArrivalReply.outdated(newest)));
    }
    RendezvousRound round = open.get(arrival.rendezvous());
    return round == null ? null : otherMembers(arrival, round, outcomes);
  }

  /** Compares the members with those of the round: another worker may have taken over a name. */
  private @Nullable ArrivalReply otherMembers(
      Arrival arrival, RendezvousRound round, List<Outcome> outcomes) {
    List<Worker> mine = new ArrayList<>(arrival.members());
    mine.removeAll(round.expected().values());
    List<Worker> theirs = new ArrayList<>(round.expected().values());
    theirs.removeAll(arrival.members());
    if (mine.isEmpty() && theirs.isEmpty()) {
      return null;
    }
    if (arrival.rendezvous().scope() == RendezvousId.Scope.LISTED) {
      return ArrivalReply.of(Kind.OTHER_MEMBERS, List.of());
    }
    // Both have the same names, so one side knows an older worker of some name. Ids only grow.
    for (Worker worker : mine) {
      if (theirs.stream().anyMatch(w -> w.name().equals(worker.name()) && w.id() > worker.id())) {
        return ArrivalReply.of(Kind.REPLACED, List.of(worker));
      }
    }
    outcomes.addAll(end(round::equals, ArrivalReply.of(Kind.REPLACED, theirs)));
    return null;
  }

  private List<Outcome> end(Predicate<RendezvousRound> which, ArrivalReply reply) {
    return onEach(round -> which.test(round) ? round.endAll(reply) : round.unchanged());
  }

  private List<Outcome> onEach(Function<RendezvousRound, Step> event) {
    List<Outcome> outcomes = new ArrayList<>();
    List.copyOf(open.values()).forEach(round -> apply(event.apply(round), outcomes));
    return outcomes;
  }

  private void apply(Step step, List<Outcome> outcomes) {
    outcomes.addAll(step.outcomes());
    if (step.round().isOver()) {
      open.remove(step.round().rendezvous());
    } else {
      open.put(step.round().rendezvous(), step.round());
    }
  }
}
