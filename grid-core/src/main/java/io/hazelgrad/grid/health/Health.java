package io.hazelgrad.grid.health;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.metrics.Metrics;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a worker is at one moment.
 *
 * @param worker its name
 * @param state what it does
 * @param members how many members its cluster has as it sees it, itself included; 0 without one
 * @param quorum what it knows of the others that have a vote; null where quorum is off
 */
public record Health(String worker, State state, int members, @Nullable Quorum quorum) {

  /** What a worker does. */
  public enum State {
    /** It is in the grid: it calls and is called. */
    SERVING("in the grid"),
    /** It is leaving, see {@link Shutdown}; what is under way goes on. */
    DRAINING("it is leaving, and waits for the calls that are under way"),
    /** It is cut off from most of the others, and goes on to look for them. */
    FENCED("it is cut off from most of the other workers, and joins anew when it finds them"),
    /** Its grid was closed. */
    CLOSED("it has left the grid");

    private final String meaning;

    State(String meaning) {
      this.meaning = meaning;
    }

    /** Returns what that means, as part of a sentence about the worker. */
    public String meaning() {
      return meaning;
    }
  }

  /**
   * The votes that a worker counts, see {@code HazelgradConfig.quorum}.
   *
   * @param held whether it sees enough of them to go on
   * @param voters how many workers were last agreed on as the whole grid
   * @param missing how many of them it does not see
   */
  public record Quorum(boolean held, long voters, long missing) {}

  /** Returns how a worker is now. Asks nobody else, and does not wait. */
  public static Health of(Grid grid) {
    return new Health(
        grid.worker().name(), state(grid), members(grid.hazelcast()), quorum(Metrics.of(grid)));
  }

  private static State state(Grid grid) {
    if (grid.isClosed()) {
      return State.CLOSED;
    }
    if (grid.isFenced()) {
      return State.FENCED;
    }
    return Shutdown.of(grid).isBegun() ? State.DRAINING : State.SERVING;
  }

  private static int members(HazelcastInstance hazelcast) {
    try {
      return hazelcast.getCluster().getMembers().size();
    } catch (HazelcastInstanceNotActiveException e) {
      return 0;
    }
  }

  private static @Nullable Quorum quorum(Metrics metrics) {
    Map<String, Long> figures = metrics.figures();
    Long held = figures.get("quorum.held");
    Long voters = figures.get("quorum.voters");
    Long missing = figures.get("quorum.missing");
    return held == null || voters == null || missing == null
        ? null
        : new Quorum(held == 1, voters, missing);
  }

  /** Returns whether work may be sent to it: it serves, and has the quorum if one is needed. */
  public boolean isReady() {
    return state == State.SERVING && (quorum == null || quorum.held());
  }
}
