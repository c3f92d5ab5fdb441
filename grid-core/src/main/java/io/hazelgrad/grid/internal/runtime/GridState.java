package io.hazelgrad.grid.internal.runtime;

/**
 * The state of a worker between its start and its end, with the steps from one to the next. A pure
 * function: no threads, no time, no network.
 *
 * <p>Invariants, which {@code GridStateTest} checks for all orders of events:
 *
 * <ul>
 *   <li>A worker serves only if the quorum was held when it was asked last. So two sides never
 *       serve at the same time.
 *   <li>A worker that was suspended and serves again is the same incarnation, with the same member
 *       UUID, worker id, objects and handles. Its member has not left its cluster. The others give
 *       an incarnation up only when its member leaves their cluster, so they still know it.
 *   <li>A member comes into another cluster only by a merge, and gets another UUID by it. The side
 *       there may have gone on and given the worker up. So a merge, and nothing else, ends the
 *       incarnation with all that it holds.
 * </ul>
 */
enum GridState {
  /** It calls and is called. */
  SERVING,
  /** It lacks the quorum. It refuses work and keeps what it holds. */
  SUSPENDED,
  /** It has dropped what it held, and its next incarnation waits for the quorum. */
  REJOINING,
  /** Its grid was closed. */
  CLOSED;

  /** An event that changes the state. */
  enum Event {
    QUORUM_LOST,
    QUORUM_HELD,
    /** The member leaves its cluster and enters another one. */
    MERGE_BEGUN,
    /** The next incarnation is complete. */
    REJOINED,
    CLOSED
  }

  /** Returns the state after an event. */
  GridState after(Event event) {
    if (this == CLOSED) {
      return CLOSED;
    }
    return switch (event) {
      case QUORUM_LOST -> this == SERVING ? SUSPENDED : this;
      case QUORUM_HELD -> this == SUSPENDED ? SERVING : this;
      case MERGE_BEGUN -> REJOINING;
      case REJOINED -> this == REJOINING ? SERVING : this;
      case CLOSED -> CLOSED;
    };
  }
}
