package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * Checksums of the tensors that an operation saved. A tensor never changes, save by a program that
 * writes into an array that it has given to {@link Tensor#wrap} or taken from {@link
 * Tensor#storage}. The gradients would be wrong then, without a word; so anomaly mode looks.
 *
 * <p>Threads: immutable.
 */
final class SavedChecksums {
  private final long[] marks;

  private SavedChecksums(long[] marks) {
    this.marks = marks;
  }

  static SavedChecksums of(List<Tensor> tensors) {
    return new SavedChecksums(tensors.stream().mapToLong(SavedChecksums::mark).toArray());
  }

  /**
   * Checks that the tensors are as they were.
   *
   * @throws GridException BAD_VALUE if one is not
   */
  void check(List<Tensor> tensors) {
    for (int i = 0; i < marks.length; i++) {
      Tensor tensor = tensors.get(i);
      if (mark(tensor) != marks[i]) {
        throw new GridException(
            Status.BAD_VALUE,
            "what it saved for its gradient has changed since then: "
                + tensor
                + "; write into no array that was given to Tensor.wrap(), use Tensor.of()");
      }
    }
  }

  private static long mark(Tensor tensor) {
    Storage storage = tensor.storage();
    boolean floating = storage.dtype().isFloating();
    long mark = 17;
    for (int i = 0; i < storage.length(); i++) {
      long bits = floating ? Double.doubleToRawLongBits(storage.getDouble(i)) : storage.getLong(i);
      mark = mark * 0x9E3779B97F4A7C15L + bits + (bits >>> 32);
    }
    return mark;
  }
}
