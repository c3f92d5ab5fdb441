package io.hazelgrad.autograd.internal.backend;

/**
 * Sums of the columns of a FLOAT32 matrix, such as the gradient of a bias. Some rows are added in
 * single precision, which the JIT compiler makes vector code of; their sums are collected in double
 * precision.
 */
final class ColumnSums {
  private static final int ROWS = 8;

  /** Shorter rows take no less time than in double precision. */
  private static final int LEAST_COLUMNS = 32;

  private ColumnSums() {}

  /** Returns whether a matrix with rows of that length is worth it. */
  static boolean pays(int columns) {
    return columns >= LEAST_COLUMNS;
  }

  /** Returns the sum of each column of a matrix with rows of that length. */
  static float[] of(float[] x, int columns) {
    double[] sums = new double[columns];
    float[] some = new float[columns];
    float[] row = new float[columns];
    for (int start = 0; start < x.length; start += ROWS * columns) {
      int end = Math.min(x.length, start + ROWS * columns);
      System.arraycopy(x, start, some, 0, columns);
      for (int at = start + columns; at < end; at += columns) {
        System.arraycopy(x, at, row, 0, columns);
        for (int i = 0; i < columns; i++) {
          some[i] += row[i];
        }
      }
      for (int i = 0; i < columns; i++) {
        sums[i] += some[i];
      }
    }
    float[] out = new float[columns];
    for (int i = 0; i < columns; i++) {
      out[i] = (float) sums[i];
    }
    return out;
  }
}
