package io.hazelgrad.testkit;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Functions by which the test kit asks a worker about its state. */
@RemoteFunctions
public final class WorkerProbe {
  private WorkerProbe() {}

  /** Returns how many objects the called worker owns. */
  static int objects() {
    return RRefs.on(Grid.current()).objectCount();
  }

  /** Returns how many objects another worker owns; the called worker asks it. */
  public static int objectsOf(String other) {
    return Grid.current().rpc().sync(other, WorkerProbe::objects);
  }

  /** Returns a description of what the called worker still holds, or the empty string. */
  static String leftovers() {
    return leftovers(Grid.current(), 1);
  }

  /** Returns a line for each kind of reference, object or call that is left in a grid. */
  static List<String> leftoversIn(Grid grid) {
    List<String> found = new ArrayList<>();
    int live = RRefs.on(grid).liveCount();
    if (live > 0) {
      found.add(live + " RRefs are in the registry");
    }
    for (Worker worker : grid.workers()) {
      String left =
          worker.equals(grid.worker())
              ? leftovers(grid, 0)
              : grid.rpc()
                  .within(Duration.ofSeconds(5))
                  .sync(worker.name(), WorkerProbe::leftovers);
      if (!left.isEmpty()) {
        found.add(worker.name() + " has " + left);
      }
    }
    return found;
  }

  /** Returns the names of the workers; none while the worker of this grid is fenced. */
  static Set<String> names(Grid grid) {
    try {
      return grid.workers().stream()
          .map(Worker::name)
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (GridException e) {
      if (e.status() == Status.FENCED) {
        return Set.of();
      }
      throw e;
    }
  }

  /** Says how the workers differ from the expected ones; the empty string if they do not. */
  static String difference(Grid grid, Set<String> expected) {
    Set<String> found = names(grid);
    return found.equals(expected) ? "" : "workers " + expected + " instead of " + found;
  }

  /** Returns what a worker still holds, apart from the calls that ask for this. */
  static String leftovers(Grid grid, int askingCalls) {
    RRefs rrefs = RRefs.on(grid);
    StringBuilder found = new StringBuilder();
    add(found, rrefs.handleCount(), "open RRef handles");
    add(found, rrefs.objectCount(), "objects");
    add(found, grid.outstandingCalls(), "calls without a reply");
    add(found, figure(grid, "agent.client_unsettled_calls"), "calls whose end was not processed");
    add(found, grid.activeCalls() - askingCalls, "calls that it serves");
    add(found, Autograd.on(grid).contextCount(), "autograd contexts");
    add(found, Autograd.on(grid).passCount(), "backward passes without a decision");
    return found.toString();
  }

  /**
   * Removes the faults of the messages that the called worker sends; returns how many there were.
   */
  static int clearFaults() {
    Faults faults = Faults.of(Grid.current());
    int count = faults.rules().size();
    faults.clear();
    return count;
  }

  /** Returns whether the next loss is judged by the workers that the called worker sees now. */
  static boolean hasAgreed() {
    return agrees(Grid.current());
  }

  static boolean agrees(Grid grid) {
    return figure(grid, "quorum.missing") == 0
        && figure(grid, "quorum.voters") == grid.workers().size();
  }

  private static int figure(Grid grid, String name) {
    return Objects.requireNonNull(Metrics.of(grid).figures().get(name), name).intValue();
  }

  private static void add(StringBuilder found, int count, String what) {
    if (count > 0) {
      found.append(found.isEmpty() ? "" : ", ").append(count).append(' ').append(what);
    }
  }
}
