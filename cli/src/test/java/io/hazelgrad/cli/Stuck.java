package io.hazelgrad.cli;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.collective.Collective;
import io.hazelgrad.grid.collective.Collectives;
import io.hazelgrad.grid.group.Groups;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Functions that get stuck. */
@RemoteFunctions
final class Stuck {
  private static final Object LOCK = new Object();
  private static final List<Collective> JOINED = new CopyOnWriteArrayList<>();
  private static final String[] BOTH = {"A", "B"};

  private Stuck() {}

  /** Takes this worker's lock, and then that of the other worker, which does the same. */
  static boolean takeBothLocks(String other) {
    synchronized (LOCK) {
      Groups.of(Grid.current()).named(BOTH).keyed("locked").barrier();
      return Grid.current().rpc().sync(other, Stuck::takeLock);
    }
  }

  /** Takes this worker's lock for a moment. */
  static boolean takeLock() {
    synchronized (LOCK) {
      return true;
    }
  }

  /** Returns the names of the workers that this one knows. */
  static List<String> workers() {
    return names(Grid.current());
  }

  static List<String> names(Grid grid) {
    return grid.workers().stream().map(Worker::name).toList();
  }

  /** Waits at a barrier for the other worker. */
  static boolean meet() {
    Groups.of(Grid.current()).named(BOTH).keyed("tea").barrier();
    return true;
  }

  /** Joins two collectives with the other worker, and makes a round of each, in an order. */
  static boolean makeRounds(boolean isFirstFirst) {
    Collectives collectives = Collectives.on(Grid.current());
    try (Collective first = collectives.join("first", List.of(BOTH));
        Collective second = collectives.join("second", List.of(BOTH))) {
      JOINED.addAll(List.of(first, second));
      Rpc.await((isFirstFirst ? first : second).barrier());
      Rpc.await((isFirstFirst ? second : first).barrier());
    }
    return true;
  }

  /** Closes the collectives of this worker, which ends the rounds on both. */
  static boolean leave() {
    JOINED.forEach(Collective::close);
    return true;
  }
}
