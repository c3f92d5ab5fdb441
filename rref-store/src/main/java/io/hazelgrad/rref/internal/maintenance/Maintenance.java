package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.GridException;

/** What a worker or client does for its references without being asked. Threads: safe. */
public sealed interface Maintenance permits Reconciler, ClientMaintenance {
  /** Does a round, unless the last one took long and was just now. */
  void run();

  /** Drops what is here and says nothing: the others have given this worker or client up. */
  void drop(GridException reason);

  /** Tells the others, when this worker or client leaves, what goes with it; waits for it. */
  void leave();
}
