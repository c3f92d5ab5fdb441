package io.hazelgrad.grid.plane;

import io.hazelgrad.grid.Grid;

/**
 * The part of a worker that transfers the elements of large tensors beside the messages that carry
 * the tensors: through shared memory or a stream, or in chunks. It works without being called; this
 * interface reads its figures. {@code PlaneConfig} configures it. Applications do not implement it.
 * Threads: safe.
 */
public interface TensorPlane {
  /** Returns the tensor plane of a worker; throws BAD_CONFIG before the worker has started. */
  static TensorPlane of(Grid grid) {
    return grid.service(TensorPlane.class);
  }

  /** Returns the transfers since the start and the memory in use now. */
  PlaneFigures figures();
}
