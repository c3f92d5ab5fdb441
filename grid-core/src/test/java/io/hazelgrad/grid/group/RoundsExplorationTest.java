package io.hazelgrad.grid.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.group.ArrivalReply.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lets three members arrive (up to twice at once), give up, be lost and leave in every order, and
 * checks after each step what must always hold.
 */
class RoundsExplorationTest {
  private static final int DEPTH = 6;
  private static final List<Worker> MEMBERS =
      List.of(worker("a", 1), worker("b", 2), worker("c", 3));

  private long steps;

  private static Worker worker(String name, long id) {
    return new Worker(name, id, new UUID(0, id));
  }

  private enum What {
    ARRIVE,
    GIVE_UP,
    LOSE,
    LEAVE
  }

  private record Event(What what, Worker worker) {}

  @ParameterizedTest
  @EnumSource(
      value = RendezvousId.Scope.class,
      names = {"ALL", "NAMED"})
  void roundsEndInEveryOrder(RendezvousId.Scope whom) {
    explore(whom, new ArrayList<>());
    assertThat(steps).isGreaterThan(10_000);
  }

  private void explore(RendezvousId.Scope whom, List<Event> path) {
    World world = new World(whom);
    path.forEach(world::apply);
    steps++;
    if (path.size() == DEPTH) {
      return;
    }
    for (Event next : world.possible()) {
      path.add(next);
      explore(whom, path);
      path.remove(path.size() - 1);
    }
  }

  /** What a simple observer knows. */
  private static final class World {
    final RendezvousId meeting;
    final RendezvousRounds rounds = new RendezvousRounds();
    final Map<Long, Worker> living = new TreeMap<>();
    final Map<Long, Kind> gone = new HashMap<>();
    final Map<Long, Arrival> waiting = new TreeMap<>();
    final Set<Long> answered = new HashSet<>();
    final List<Event> story = new ArrayList<>();
    long tickets;

    World(RendezvousId.Scope whom) {
      boolean all = whom == RendezvousId.Scope.ALL;
      meeting = new RendezvousId(RendezvousId.Purpose.BARRIER, whom, all ? "" : "a, b, c", "");
      MEMBERS.forEach(worker -> living.put(worker.id(), worker));
    }

    List<Event> possible() {
      List<Event> events = new ArrayList<>();
      for (Worker worker : living.values()) {
        int waits = waits(worker);
        if (waits < 2) {
          events.add(new Event(What.ARRIVE, worker));
        }
        if (waits > 0) {
          events.add(new Event(What.GIVE_UP, worker));
        }
        events.add(new Event(What.LOSE, worker));
        events.add(new Event(What.LEAVE, worker));
      }
      return events;
    }

    int waits(Worker worker) {
      return (int) waiting.values().stream().filter(a -> a.worker().equals(worker)).count();
    }

    void apply(Event event) {
      story.add(event);
      Worker worker = event.worker();
      switch (event.what()) {
        case ARRIVE -> {
          // Who has not heard of a loss sees a member that is gone; the leader must know better.
          List<Worker> members =
              tickets % 2 == 0 || !meeting.isElastic() ? MEMBERS : List.copyOf(living.values());
          Arrival arrival = new Arrival(++tickets, worker, meeting, 0, members, tickets, 100);
          waiting.put(arrival.ticket(), arrival);
          heed(rounds.arrive(arrival), null);
        }
        case GIVE_UP -> {
          Arrival first =
              waiting.values().stream().filter(a -> a.worker().equals(worker)).findFirst().get();
          heed(rounds.giveUp(first.ticket()), first);
          assertThat(waiting).as("%s", story).doesNotContainKey(first.ticket());
        }
        case LOSE -> {
          living.remove(worker.id());
          gone.put(worker.id(), Kind.LOST);
          heed(rounds.lost(worker), null);
        }
        case LEAVE -> {
          living.remove(worker.id());
          gone.put(worker.id(), Kind.LEFT);
          heed(rounds.left(worker), null);
        }
      }
      check();
    }

    private void heed(List<RendezvousRound.Outcome> outcomes, Arrival givingUp) {
      for (RendezvousRound.Outcome outcome : outcomes) {
        ArrivalReply verdict = outcome.reply();
        for (Arrival to : outcome.recipients()) {
          assertThat(answered.add(to.ticket())).as("answered once: %s", story).isTrue();
          assertThat(waiting.remove(to.ticket())).as("it waits: %s", story).isNotNull();
        }
        switch (verdict.kind()) {
          case DONE -> {
            assertThat(verdict.workers())
                .as("all that live meet: %s", story)
                .containsExactlyElementsOf(
                    meeting.isElastic() ? living.values() : (Iterable<Worker>) MEMBERS);
            assertThat(outcome.recipients()).hasSameSizeAs(verdict.workers());
          }
          case MISSING -> {
            assertThat(givingUp).as("%s", story).isNotNull();
            assertThat(outcome.recipients())
                .as("%s", story)
                .extracting(Arrival::ticket)
                .containsExactly(givingUp.ticket());
            assertThat(verdict.workers()).doesNotContain(givingUp.worker());
            assertThat(verdict.workers().size() + verdict.others().size()).isPositive();
          }
          case LOST, LEFT -> {
            for (Worker worker : verdict.workers()) {
              assertThat(gone).as("%s", story).containsEntry(worker.id(), verdict.kind());
            }
          }
          default -> throw new AssertionError(verdict + " in " + story);
        }
      }
    }

    private void check() {
      assertThat(rounds.isEmpty()).as("%s", story).isEqualTo(waiting.isEmpty());
      if (!meeting.isElastic() && !gone.isEmpty()) {
        assertThat(waiting).as("nobody waits for the dead: %s", story).isEmpty();
      }
      assertThat(rounds.awaited()).as("%s", story).allMatch(w -> living.containsKey(w.id()));
      if (!waiting.isEmpty()) {
        assertThat(living.values())
            .as("who waits lacks somebody: %s", story)
            .anyMatch(worker -> waits(worker) == 0);
      }
    }
  }
}
