package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * A row of numbers with its target, which a model learns to predict: a class, or a number.
 *
 * @param values the numbers; the array is not copied
 * @param target the number of the class, or the number to approach
 */
@RemoteValue
@SuppressWarnings("ArrayRecordComponent") // Not compared, and read in the innermost loop.
public record Example(float[] values, double target) {
  /**
   * Returns the numbers of some rows, FLOAT32 {@code [rows, values of a row]}.
   *
   * @throws GridException BAD_ARGUMENT if there is no row, or one has another number of values
   */
  public static Tensor values(List<Example> rows) {
    if (rows.isEmpty()) {
      throw new GridException(Status.BAD_ARGUMENT, "there are no rows, but at least 1 is needed");
    }
    int width = rows.get(0).values.length;
    float[] all = new float[rows.size() * width];
    for (int i = 0; i < rows.size(); i++) {
      float[] row = rows.get(i).values;
      if (row.length != width) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "row %d of a batch has %d values, but the first one has %d"
                .formatted(i, row.length, width));
      }
      System.arraycopy(row, 0, all, i * width, width);
    }
    return Tensor.wrap(all, rows.size(), width);
  }

  /**
   * Returns the classes of some rows, INT64 {@code [rows]}, as {@code crossEntropy} takes them.
   *
   * @throws GridException BAD_ARGUMENT if a target is no integer from 0
   */
  public static Tensor classes(List<Example> rows) {
    long[] all = new long[rows.size()];
    for (int i = 0; i < all.length; i++) {
      double target = rows.get(i).target;
      all[i] = (long) target;
      if (all[i] != target || all[i] < 0) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "row %d of a batch has the target %s, but a class is an integer from 0"
                .formatted(i, target));
      }
    }
    return Tensor.wrap(all, all.length);
  }

  /** Returns the targets of some rows, FLOAT32 {@code [rows, 1]}, as {@code mseLoss} takes them. */
  public static Tensor targets(List<Example> rows) {
    float[] all = new float[rows.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) rows.get(i).target;
    }
    return Tensor.wrap(all, all.length, 1);
  }
}
