package io.hazelgrad.tests;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.rref.RRefs;

/** What the test kit asks a worker about itself. */
@RemoteFunctions
final class Probe {
  private Probe() {}

  /** Returns how many objects the called worker owns. */
  static int objects() {
    return RRefs.on(Grid.current()).objectCount();
  }

  /** Returns what the called worker still holds, or the empty string. */
  static String leftovers() {
    return leftovers(Grid.current());
  }

  static String leftovers(Grid grid) {
    RRefs rrefs = RRefs.on(grid);
    StringBuilder found = new StringBuilder();
    add(found, rrefs.handleCount(), "open RRef handles");
    add(found, rrefs.objectCount(), "objects");
    add(found, grid.outstandingCalls(), "calls without an answer");
    add(found, Autograd.on(grid).contextCount(), "autograd contexts");
    return found.toString();
  }

  private static void add(StringBuilder found, int count, String what) {
    if (count > 0) {
      found.append(found.isEmpty() ? "" : ", ").append(count).append(' ').append(what);
    }
  }
}
