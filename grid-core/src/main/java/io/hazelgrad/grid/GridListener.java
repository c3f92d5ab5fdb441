package io.hazelgrad.grid;

/**
 * Hears when a worker is cut off from the grid, when it is back, and when it has left, see {@link
 * Grid#addListener}. Its methods are called one after the other, on a thread of the grid's own or
 * on the one that closes the grid. Their exceptions are logged.
 */
public interface GridListener {
  /**
   * The worker was cut off from most of the others. Calls without an answer have ended and work is
   * refused, all with the status FENCED. Objects, handles and contexts are kept. Either {@link
   * #resumed} or {@link #fenced} follows.
   */
  default void suspended(Worker worker, GridException reason) {}

  /** The worker sees enough of the others again and goes on with all that it holds. */
  default void resumed(Worker worker) {}

  /**
   * The member had to enter a cluster that may have gone on without the worker. All that it held of
   * the grid is gone: calls without an answer have ended, handles, contexts and passes fail, all
   * with the status FENCED, and objects that it owned are dropped. It goes on to look for the
   * others.
   */
  default void fenced(Worker worker, GridException reason) {}

  /** The worker is back under its name, as another incarnation that holds nothing yet. */
  default void rejoined(Worker worker) {}

  /** The grid was closed, in whatever way; it may have been fenced. The last news of all. */
  default void closed() {}
}
