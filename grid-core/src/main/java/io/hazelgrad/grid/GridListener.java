package io.hazelgrad.grid;

/**
 * Hears when a worker is cut off from the grid, when it is back, and when it has left, see {@link
 * Grid#addListener}. Called one after the other, on a thread of the grid's own or on the one that
 * closes it; what is thrown is logged.
 */
public interface GridListener {
  /**
   * The worker was cut off, or its member had to enter another cluster. All that it held of the
   * grid is gone: calls without an answer have ended, handles, contexts and passes fail, all with
   * the status FENCED, and objects that it owned are dropped. It goes on to look for the others.
   *
   * @param worker what the worker was until now
   * @param reason status FENCED, and why
   */
  default void fenced(Worker worker, GridException reason) {}

  /**
   * The worker is back under its name, as another incarnation that holds nothing yet.
   *
   * @param worker what it is from now on
   */
  default void rejoined(Worker worker) {}

  /** The grid was closed, in whatever way; it may have been fenced. The last news of all. */
  default void closed() {}
}
