package io.hazelgrad.grid.health;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.metrics.Metrics;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The health of a worker at one moment.
 *
 * @param members the members of its cluster as it sees them, itself included; 0 without a cluster
 * @param quorum its view of the votes; null if quorum is off
 */
public record Health(String worker, State state, int members, @Nullable Quorum quorum) {

  /** The state of a worker. */
  public enum State {
    /** It is in the grid: it calls and is called. */
    SERVING("in the grid"),
    /** It is leaving, see {@link Shutdown}; calls under way go on. */
    DRAINING("it is leaving, and waits for the calls that are under way"),
    /** It is cut off from most of the others, keeps what it holds and looks for them. */
    SUSPENDED(
        "it is cut off from most of the other workers; it resumes when it sees them again, or when"
            + " those that died are started anew at their addresses, or after force-leave"),
    /** It has dropped what it held and joins workers that may have gone on without it. */
    FENCED("it joins workers that may have gone on without it, as another incarnation"),
    /** It has tried to join anew for too long. Only a restart helps, and it holds nothing. */
    STUCK("it holds nothing and has tried to join anew for over a minute: restart this process"),
    /** Its grid was closed. */
    CLOSED("it has left the grid");

    private final String meaning;

    State(String meaning) {
      this.meaning = meaning;
    }

    /** Returns the meaning of the state, as part of a sentence about the worker. */
    public String meaning() {
      return meaning;
    }
  }

  /**
   * The votes that a worker counts: whether it sees enough {@code voters}, the workers that were
   * last agreed on as the whole grid, and how many are missing.
   */
  public record Quorum(boolean held, long voters, long missing) {}

  /**
   * The time after which a worker that tries to join anew counts as stuck; a merge takes seconds.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Returns the current health of a worker. It asks no other worker and does not wait. */
  public static Health of(Grid grid) {
    Quorum quorum = quorum(Metrics.of(grid));
    return new Health(grid.worker().name(), state(grid, quorum), members(grid.hazelcast()), quorum);
  }

  private static State state(Grid grid, @Nullable Quorum quorum) {
    if (grid.isClosed()) {
      return State.CLOSED;
    }
    if (grid.isSuspended()) {
      return State.SUSPENDED;
    }
    if (grid.isFenced()) {
      return afterFence(grid.rejoiningFor(), quorum);
    }
    return Shutdown.of(grid).isBegun() ? State.DRAINING : State.SERVING;
  }

  /**
   * Returns the state of a worker that has tried to join anew for a time. Without the quorum it has
   * to wait, and a restart inside a cut could begin a second grid.
   */
  static State afterFence(Duration rejoining, @Nullable Quorum quorum) {
    boolean couldJoin = quorum == null || quorum.held();
    return couldJoin && rejoining.compareTo(PATIENCE) > 0 ? State.STUCK : State.FENCED;
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

  /** Returns whether the worker is in the grid or will be again without a restart. */
  public boolean isLive() {
    return state != State.STUCK;
  }

  /** Returns whether the worker can take work: it serves, and has the quorum if one is needed. */
  public boolean isReady() {
    return state == State.SERVING && (quorum == null || quorum.held());
  }
}
