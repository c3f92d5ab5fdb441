package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.ops.OperationErrors;
import java.util.Arrays;

/**
 * A walk over a shape, with the steps of up to three operands, as the kernels take it. Neighbouring
 * dimensions that lie in one piece for all operands are joined.
 */
final class Walk {
  /** The most dimensions, as in kernels.cu. */
  private static final int RANK = 12;

  private final int[] sizes = new int[RANK];
  private final int[][] steps = new int[3][RANK];
  private int rank;

  private Walk() {}

  /** Returns the walk over a shape with the steps of each operand. */
  static Walk over(long[] shape, long[]... operands) {
    return of(shape, true, operands);
  }

  /** Returns the walk whose dimensions are those of the shape. */
  static Walk apart(long[] shape, long[]... operands) {
    return of(shape, false, operands);
  }

  private static Walk of(long[] shape, boolean joined, long[]... operands) {
    Walk walk = new Walk();
    for (int d = 0; d < shape.length; d++) {
      if (joined && shape[d] == 1) {
        continue;
      }
      if (!joined || walk.rank == 0 || !walk.joins(shape[d], d, operands)) {
        if (walk.rank == RANK) {
          throw OperationErrors.bad(
              "gpu", "over 12 dimensions that lie apart: shape=" + Arrays.toString(shape));
        }
        walk.sizes[walk.rank++] = 1;
      }
      int last = walk.rank - 1;
      walk.sizes[last] *= (int) shape[d];
      for (int i = 0; i < operands.length; i++) {
        walk.steps[i][last] = (int) operands[i][d];
      }
    }
    return walk;
  }

  private boolean joins(long size, int d, long[]... operands) {
    boolean joins = true;
    for (int i = 0; i < operands.length; i++) {
      joins &= steps[i][rank - 1] == operands[i][d] * size;
    }
    return joins;
  }

  int rank() {
    return rank;
  }

  int step(int operand, int dimension) {
    return steps[operand][dimension];
  }

  /** Returns the struct of the kernels: the rank, a gap, the sizes, and the steps of a, b, c. */
  int[] struct() {
    int[] struct = new int[2 + 4 * RANK];
    struct[0] = rank;
    System.arraycopy(sizes, 0, struct, 2, RANK);
    for (int i = 0; i < steps.length; i++) {
      System.arraycopy(steps[i], 0, struct, 2 + (1 + i) * RANK, RANK);
    }
    return struct;
  }

  /** Returns the steps of elements that lie row by row. */
  static long[] rows(long... shape) {
    long[] steps = new long[shape.length];
    long step = 1;
    for (int d = shape.length - 1; d >= 0; d--) {
      steps[d] = step;
      step *= shape[d];
    }
    return steps;
  }

  /** Returns the steps of elements that are repeated to a shape of that rank. */
  static long[] repeated(long[] shape, int rank) {
    long[] own = rows(shape);
    long[] steps = new long[rank];
    for (int d = 0; d < shape.length; d++) {
      steps[rank - shape.length + d] = shape[d] == 1 ? 0 : own[d];
    }
    return steps;
  }
}
