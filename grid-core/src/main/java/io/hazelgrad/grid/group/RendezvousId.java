package io.hazelgrad.grid.group;

/**
 * What workers meet for. Arrivals of equal meetings belong to the same round, or to rounds that
 * follow each other.
 *
 * @param purpose a barrier and a gather never meet
 * @param whom how the members are said
 * @param group the sorted names, or the name of the list; empty for all
 * @param key the round's key, empty for none
 */
record RendezvousId(Purpose purpose, Scope whom, String group, String key) {
  /** What for. */
  enum Purpose {
    BARRIER,
    GATHER
  }

  /** Who meets. */
  enum Scope {
    /** Every worker that lives; who joins may take part, who leaves is not waited for. */
    ALL,
    /** Workers of these names. */
    NAMED,
    /** The workers of a list that has a version. */
    LISTED
  }

  boolean isElastic() {
    return whom == Scope.ALL;
  }

  @Override
  public String toString() {
    String what = purpose == Purpose.BARRIER ? "barrier" : "all-gather";
    String over =
        switch (whom) {
          case ALL -> " over all workers";
          case NAMED -> " over [" + group + "]";
          case LISTED -> " over the list \"" + group + "\"";
        };
    return what + over + (key.isEmpty() ? "" : " with key \"" + key + "\"");
  }
}
