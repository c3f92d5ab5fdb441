package io.hazelgrad.tests.chaos;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Trouble that was caused or seen, from its begin until everything that it concerned was back.
 *
 * @param who the workers and clients that it concerned
 */
record Episode(TroubleKind kind, Set<String> who, long from, long to) {
  /**
   * Time after an episode in which it explains failures. A call that began in the episode ends at
   * the latest after its deadline of 10 s, and a call after the episode may wait for one before.
   */
  private static final long AFTER = TimeUnit.SECONDS.toNanos(20);

  /** Returns whether it explains a failure of work in a time. */
  boolean covers(long begin, long end) {
    return end >= from && begin <= to + AFTER;
  }

  /** Returns whether it can have cost a worker or client its place in the grid. */
  boolean concerns(String name) {
    return kind.isCut() || who.contains(name);
  }
}
