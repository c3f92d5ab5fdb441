package io.hazelgrad.testkit;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRefs;
import java.util.Objects;

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
