package io.hazelgrad.autograd.ops;

/**
 * The positions of the windows of a convolution, and its groups.
 *
 * @param rows the windows along the first of two dimensions
 * @param columns the windows along the second dimension
 * @param groups the number of parts into which channels are divided; one part of the outputs depends on
 *     one part of the inputs
 */
public record Filter(Window rows, Window columns, long groups) {
  /** Returns the number of windows of a plane. */
  public long windows() {
    return rows.count() * columns.count();
  }

  /** Returns the number of elements of a window. */
  public long kernel() {
    return rows.kernel() * columns.kernel();
  }
}
