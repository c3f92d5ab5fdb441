package io.hazelgrad.grid.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.internal.runtime.GridState.Event;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the states of a worker, with all orders of up to seven events. */
class GridStateTest {
  private static final int LONGEST = 7;

  /** A worker after some events: its state, and how often what it held was dropped. */
  private record History(List<Event> events, GridState state, int dropped) {
    History after(Event event) {
      List<Event> longer = new ArrayList<>(events);
      longer.add(event);
      GridState next = state.after(event);
      boolean drops = next == GridState.REJOINING && state != GridState.REJOINING;
      return new History(longer, next, dropped + (drops ? 1 : 0));
    }

    /** Returns whether the quorum is held, which it is at the start. */
    boolean isHeld() {
      return events.lastIndexOf(Event.QUORUM_LOST) <= events.lastIndexOf(Event.QUORUM_HELD);
    }

    /** Returns whether an event can follow: a worker rejoins only with the quorum. */
    boolean admits(Event event) {
      return event != Event.REJOINED || isHeld();
    }
  }

  private static List<History> everyHistory() {
    List<History> all = new ArrayList<>();
    List<History> longest = List.of(new History(List.of(), GridState.SERVING, 0));
    for (int length = 1; length <= LONGEST; length++) {
      List<History> longer = new ArrayList<>();
      for (History history : longest) {
        for (Event event : Event.values()) {
          if (history.admits(event)) {
            longer.add(history.after(event));
          }
        }
      }
      all.addAll(longer);
      longest = longer;
    }
    return all;
  }

  @Test
  void workerServesOnlyWhileQuorumIsHeld() {
    assertThat(everyHistory())
        .filteredOn(history -> history.state() == GridState.SERVING)
        .isNotEmpty()
        .allMatch(History::isHeld);
  }

  @Test
  void workerKeepsWhatItHoldsUnlessItsMemberMerges() {
    assertThat(everyHistory())
        .filteredOn(history -> !history.events().contains(Event.MERGE_BEGUN))
        .isNotEmpty()
        .allMatch(history -> history.dropped() == 0);
  }

  @Test
  void workerServesAfterQuorumIsRegainedWithoutMerge() {
    assertThat(everyHistory())
        .filteredOn(
            history -> {
              Set<Event> met = EnumSet.copyOf(history.events());
              return !met.contains(Event.MERGE_BEGUN) && !met.contains(Event.CLOSED);
            })
        .filteredOn(History::isHeld)
        .isNotEmpty()
        .allMatch(history -> history.state() == GridState.SERVING);
  }

  @Test
  void workerDropsWhatItHoldsWhenItsMemberMerges() {
    for (GridState before : List.of(GridState.SERVING, GridState.SUSPENDED)) {
      assertThat(before.after(Event.MERGE_BEGUN)).isEqualTo(GridState.REJOINING);
    }
  }

  @Test
  void closedWorkerStaysClosedAfterEveryEvent() {
    for (Event event : Event.values()) {
      assertThat(GridState.CLOSED.after(event)).isEqualTo(GridState.CLOSED);
    }
  }
}
