package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.GridException;

/** The periodic work of a worker or client for its references. Threads: safe. */
public sealed interface Maintenance permits Reconciler, ClientMaintenance {
  /** Does a round, unless the last one took long and ended only lately. */
  void run();

  /** Drops all objects without messages, since the grid has given this worker or client up. */
  void drop(GridException reason);

  /** Tells the registry that the objects of a leaving worker or client are lost, and waits. */
  void leave();
}
