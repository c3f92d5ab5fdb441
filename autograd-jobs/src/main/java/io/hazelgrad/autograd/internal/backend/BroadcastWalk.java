package io.hazelgrad.autograd.internal.backend;

/**
 * An iteration over all positions of a shape in row-major order, with the positions in two
 * operands. It goes in runs along the last dimension, after dimensions that are contiguous in both
 * operands have been merged. The addition of two tensors of one shape is a single run.
 */
final class BroadcastWalk {
  /** Takes a run that starts at element {@code a} and {@code b} of the operands. */
  interface Visitor {
    void run(int a, int b);
  }

  private final int rank;
  private final int[] extents;
  private final int[] stepsA;
  private final int[] stepsB;
  private final boolean empty;

  /** Plans a walk with the elements that the operands move per step in each dimension. */
  BroadcastWalk(long[] shape, long[] stridesA, long[] stridesB) {
    extents = new int[Math.max(1, shape.length)];
    stepsA = new int[extents.length];
    stepsB = new int[extents.length];
    int last = 0;
    extents[0] = 1;
    boolean nothing = false;
    for (int i = 0; i < shape.length; i++) {
      nothing |= shape[i] == 0;
      if (shape[i] == 1) {
        continue;
      }
      int extent = (int) shape[i];
      boolean merges = stepsA[last] == stridesA[i] * extent && stepsB[last] == stridesB[i] * extent;
      if (extents[last] != 1 && !merges) {
        last++;
        extents[last] = 1;
      }
      extents[last] *= extent;
      stepsA[last] = (int) stridesA[i];
      stepsB[last] = (int) stridesB[i];
    }
    rank = last + 1;
    empty = nothing;
  }

  /** Returns the strides of a row-major tensor that is broadcast to {@code rank} dimensions. */
  static long[] broadcastStrides(long[] shape, int rank) {
    long[] strides = new long[rank];
    long stride = 1;
    for (int i = 1; i <= shape.length; i++) {
      long extent = shape[shape.length - i];
      strides[rank - i] = extent == 1 ? 0 : stride;
      stride *= extent;
    }
    return strides;
  }

  /** Returns the length of every run; 0 if there is none. */
  int length() {
    return empty ? 0 : extents[rank - 1];
  }

  /** Returns by how many elements operand a moves per step within a run. */
  int stepA() {
    return stepsA[rank - 1];
  }

  /** Returns by how many elements operand b moves per step within a run. */
  int stepB() {
    return stepsB[rank - 1];
  }

  /** Returns whether a reduction by this walk sums the columns of a matrix of the runs. */
  boolean sumsColumns() {
    return rank == 2 && !empty && stepsA[1] == 1 && stepsB[1] == 1 && stepsB[0] == 0;
  }

  /** Visits all runs in order. */
  void forEachRun(Visitor visitor) {
    if (empty) {
      return;
    }
    int[] position = new int[rank - 1];
    int a = 0;
    int b = 0;
    while (true) {
      visitor.run(a, b);
      int d = rank - 2;
      while (d >= 0 && position[d] == extents[d] - 1) {
        a -= position[d] * stepsA[d];
        b -= position[d] * stepsB[d];
        position[d--] = 0;
      }
      if (d < 0) {
        return;
      }
      position[d]++;
      a += stepsA[d];
      b += stepsB[d];
    }
  }
}
