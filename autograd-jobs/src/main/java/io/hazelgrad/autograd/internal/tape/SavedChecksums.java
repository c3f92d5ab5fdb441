package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/**
 * Checksums of the tensors that an operation saved. A tensor changes only if the program writes
 * into an array given to {@link Tensor#wrap} or taken from {@link Tensor#storage}. The gradients
 * would then be wrong without any error, so anomaly mode compares the checksums. Threads:
 * immutable.
 */
final class SavedChecksums {
  private final long[] checksums;

  private SavedChecksums(long[] checksums) {
    this.checksums = checksums;
  }

  static SavedChecksums of(List<Tensor> tensors) {
    return new SavedChecksums(tensors.stream().mapToLong(SavedChecksums::checksum).toArray());
  }

  void check(List<Tensor> tensors) {
    for (int i = 0; i < checksums.length; i++) {
      Tensor tensor = tensors.get(i);
      if (checksum(tensor) != checksums[i]) {
        throw new GridException(
            Status.BAD_VALUE,
            "a tensor saved for its gradient has changed since then: "
                + tensor
                + "; do not write into an array that was given to Tensor.wrap(), use Tensor.of()");
      }
    }
  }

  private static long checksum(Tensor tensor) {
    Storage storage = tensor.storage();
    boolean floating = storage.dtype().isFloating();
    long sum = 17;
    for (int i = 0; i < storage.length(); i++) {
      long bits = floating ? Double.doubleToRawLongBits(storage.getDouble(i)) : storage.getLong(i);
      sum = sum * 0x9E3779B97F4A7C15L + bits + (bits >>> 32);
    }
    return sum;
  }
}
