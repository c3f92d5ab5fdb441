package io.hazelgrad.grid.group;

/**
 * The identity of a rendezvous. Arrivals with equal identities belong to the same round, or to
 * rounds that follow each other.
 *
 * @param group the sorted names, or the name of the list; empty for all workers
 * @param key the key of the round; empty for none
 */
record RendezvousId(Purpose purpose, Scope scope, String group, String key) {
  /** The purpose of a rendezvous. The names travel. */
  enum Purpose {
    BARRIER,
    GATHER
  }

  /** The ways to give the members. Their names travel. */
  enum Scope {
    /** All living workers. One that joins may take part; one that leaves is not waited for. */
    ALL,
    /** The workers with given names. */
    NAMED,
    /** The workers of a list that has a version. */
    LISTED
  }

  boolean isElastic() {
    return scope == Scope.ALL;
  }

  @Override
  public String toString() {
    String what = purpose == Purpose.BARRIER ? "barrier" : "all-gather";
    String over =
        switch (scope) {
          case ALL -> " over all workers";
          case NAMED -> " over [" + group + "]";
          case LISTED -> " over the list \"" + group + "\"";
        };
    return what + over + (key.isEmpty() ? "" : " with key \"" + key + "\"");
  }
}
