package io.hazelgrad.autograd.ops;

/**
 * The windows along one dimension of a plane. Element i of window n lies at {@code n * stride -
 * padding + i * dilation}; there is nothing before 0 and beyond the extent.
 *
 * @param kernel how many elements a window has
 * @param count how many windows there are
 */
public record Window(long kernel, long stride, long padding, long dilation, long count) {
  /** The whole of a dimension of extent 1. */
  public static final Window POINT = new Window(1, 1, 0, 1, 1);

  /** Where element i of window n lies. */
  public long position(long n, long i) {
    return n * stride - padding + i * dilation;
  }

  /** The first window whose element i is not before 0. */
  public int first(long i) {
    long before = padding - i * dilation;
    return before <= 0 ? 0 : (int) Math.min(count, (before + stride - 1) / stride);
  }

  /** The first window whose element i lies beyond the extent. */
  public int end(long i, long extent) {
    long room = extent - 1 + padding - i * dilation;
    return room < 0 ? 0 : (int) Math.min(count, room / stride + 1);
  }
}
