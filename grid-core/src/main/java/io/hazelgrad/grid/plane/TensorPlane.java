package io.hazelgrad.grid.plane;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;

/**
 * The part of a worker that transfers the elements of large tensors beside the messages that carry
 * the tensors: through shared memory or a stream, or in chunks. It works without being called; this
 * interface reads its figures. {@code PlaneConfig} configures it.
 *
 * <p>Applications do not implement this interface.
 *
 * <p>Threads: safe.
 */
public interface TensorPlane {
  /**
   * Returns the tensor plane of a worker.
   *
   * @throws GridException BAD_CONFIG if the worker has not started completely
   */
  static TensorPlane of(Grid grid) {
    return grid.service(TensorPlane.class);
  }

  /** Returns the transfers since the start and the memory in use now. */
  PlaneFigures figures();
}
