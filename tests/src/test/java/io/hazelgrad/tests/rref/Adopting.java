package io.hazelgrad.tests.rref;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.fault.Faults;

/** Whether a worker can adopt durable objects whose owner is gone. */
@RemoteFunctions
final class Adopting {
  private Adopting() {}

  /** From now on this worker cannot read what is stored of them. */
  static void prevent() {
    var unused = Faults.of(Grid.current()).on("rref.take").fail();
  }

  static void allow() {
    Faults.of(Grid.current()).clear();
  }
}
