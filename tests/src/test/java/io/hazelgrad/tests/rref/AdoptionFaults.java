package io.hazelgrad.tests.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.fault.Faults;

/** Functions that prevent or allow that a worker adopts durable objects of a lost owner. */
@RemoteFunctions
final class AdoptionFaults {
  private AdoptionFaults() {}

  /** Makes every read of stored objects on this worker fail from now on. */
  static void prevent() {
    var unused = Faults.of(Grid.current()).on("rref.take").fail();
  }

  static void allow() {
    Faults.of(Grid.current()).clear();
  }
}
