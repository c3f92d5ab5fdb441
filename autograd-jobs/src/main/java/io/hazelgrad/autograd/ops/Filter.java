package io.hazelgrad.autograd.ops;

/**
 * How the windows of a convolution lie.
 *
 * @param rows along the first of two dimensions
 * @param columns along the second
 * @param groups how many parts the channels are in; a part of the outputs sees one part of them
 */
public record Filter(Window rows, Window columns, long groups) {
  /** Returns how many windows a plane has. */
  public long windows() {
    return rows.count() * columns.count();
  }

  /** Returns how many elements a window has. */
  public long kernel() {
    return rows.kernel() * columns.kernel();
  }
}
