package io.hazelgrad.grid.internal.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The ids of workers and clients, from a counter in the map {@code hazelgrad.ids}. If the counter
 * was lost with the members that kept it, ids go on above all that can have been given.
 */
public final class WorkerIds {
  public static final String MAP = "hazelgrad.ids";
  private static final String COUNTER = "worker";

  /** In the user context of an instance that has taken an id before. */
  private static final String TOOK_ID = "io.hazelgrad.ids";

  /** By how much ids grow at most. The time in milliseconds times this fits for 200 years. */
  private static final long MOST_STEP = 1 << 20;

  private WorkerIds() {}

  /**
   * Returns an id that was never given: larger than the counter's last one by a random step. The
   * counter may come from a backup that was behind, or another grid may have been founded beside
   * this one; then the steps differ, and an id may be smaller than one before.
   */
  static long next(HazelcastInstance hazelcast) {
    IMap<String, Long> ids = hazelcast.getMap(MAP);
    long first = first(hazelcast);
    while (true) {
      Long last = Directory.insist(() -> ids.putIfAbsent(COUNTER, first));
      if (last == null) {
        return first;
      }
      long next = last + step();
      if (Directory.insist(() -> ids.replace(COUNTER, last, next))) {
        return next;
      }
    }
  }

  private static long step() {
    return 1 + ThreadLocalRandom.current().nextLong(MOST_STEP);
  }

  /**
   * Returns the first id without a counter: a small one for the member that founds a grid. Else the
   * counter was lost, and the time is above all ids: no grid gives one each millisecond for long.
   */
  private static long first(HazelcastInstance hazelcast) {
    boolean isFirst = hazelcast.getUserContext().put(TOOK_ID, true) == null;
    boolean isFounder =
        hazelcast.getLocalEndpoint() instanceof Member
            && hazelcast.getCluster().getMembers().size() == 1;
    return (isFirst && isFounder ? 0 : System.currentTimeMillis() * MOST_STEP) + step();
  }
}
