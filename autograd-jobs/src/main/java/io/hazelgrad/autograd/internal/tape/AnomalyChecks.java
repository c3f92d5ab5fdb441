package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checks of anomaly mode: finds NaN and infinite values in the results and gradients of
 * operations, and saved tensors that were changed. A tensor changes only if the program writes into
 * an array given to {@link Tensor#wrap} or taken from {@link Tensor#storage}. The gradients would
 * then be wrong without any error.
 */
final class AnomalyChecks {
  private AnomalyChecks() {}

  /** Returns the place in the program that called the current operation. */
  static String place() {
    StackWalker.StackFrame caller =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(
                frames ->
                    frames
                        .filter(frame -> !isOurs(frame.getDeclaringClass()))
                        .findFirst()
                        .orElseThrow());
    return caller.getClassName().startsWith("io.hazelgrad.grid.")
        ? "by a call of the operator"
        : "at " + caller.toStackTraceElement();
  }

  /** Returns whether a class only passes an operation on. */
  private static boolean isOurs(Class<?> type) {
    return type == Variable.class
        || type.getPackageName().startsWith("io.hazelgrad.autograd.internal.");
  }

  static void checkOutput(String operation, String place, Tensor output) {
    String found = find(output);
    if (found != null) {
      throw new GridException(
          Status.BAD_VALUE, operation + ", called " + place + ", gave " + found);
    }
  }

  static void checkGradients(List<@Nullable Tensor> gradients) {
    for (int i = 0; i < gradients.size(); i++) {
      Tensor gradient = gradients.get(i);
      String found = gradient == null ? null : find(gradient);
      if (found != null) {
        throw new GridException(
            Status.PASS_FAILED, "the gradient of its input " + i + " has " + found);
      }
    }
  }

  private static @Nullable String find(Tensor tensor) {
    if (!tensor.dtype().isFloating()) {
      return null;
    }
    double[] values = tensor.toDoubles();
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        return values[i] + " as element " + i + " of " + tensor;
      }
    }
    return null;
  }

  /** Returns checksums of the tensors that an operation saved. */
  static long[] checksums(List<Tensor> saved) {
    return saved.stream().mapToLong(AnomalyChecks::checksum).toArray();
  }

  /** Checks that the saved tensors still have these checksums. */
  static void checkUnchanged(List<Tensor> saved, long[] checksums) {
    for (int i = 0; i < checksums.length; i++) {
      Tensor tensor = saved.get(i);
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
