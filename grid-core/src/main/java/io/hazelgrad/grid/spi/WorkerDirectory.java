package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The workers and clients of a grid, as one of its workers or clients sees them. Threads: safe. */
public interface WorkerDirectory {
  /** Returns the living workers by id, read anew from the map of workers; this is not cheap. */
  Map<Long, Worker> living();

  /** Returns the clients of the grid by id, read anew from their map; those lost are not there. */
  Map<Long, Worker> clients();

  /** Returns the living workers and the clients by id, read anew from both maps; not cheap. */
  default Map<Long, Worker> livingAndClients() {
    Map<Long, Worker> all = new HashMap<>(clients());
    all.putAll(living());
    return all;
  }

  /** Returns whether a worker or client is in the grid. Cheap for workers met before. */
  boolean isLiving(long id);

  /**
   * Returns whether a worker is in the grid, as far as it is known here. Asks nobody; one that
   * nothing was heard of counts as living while its member is in the cluster.
   */
  boolean isLiving(Worker worker);

  /** Returns whether the member of a worker is in the cluster, as far as is known here now. */
  boolean isMember(Worker worker);

  /** Returns a living worker by id, or null if it has left. Cheap for workers met before. */
  @Nullable Worker byId(long id);

  /** Returns the name of a worker by id, also of one that has left; null if it is not known. */
  @Nullable String nameOf(long id);

  /** Returns the worker on a member, or null if there is none. Cheap for workers met before. */
  @Nullable Worker on(UUID member);

  /** As {@link #on}, as far as it is known here. Asks nobody. */
  @Nullable Worker knownOn(UUID member);

  /** Remembers that a worker has said that it leaves now: it was not lost. */
  void noteLeft(Worker worker);

  /** Returns whether a worker left orderly, as far as it is known here. */
  boolean hasLeft(long id);
}
