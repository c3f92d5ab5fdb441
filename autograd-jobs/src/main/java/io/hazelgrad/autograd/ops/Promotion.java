package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@code torch.result_type} for the element type of a result. Tensors without
 * dimensions count only if their category (boolean, integer, floating-point) is higher than the
 * others.
 */
public final class Promotion {
  private Promotion() {}

  /** Returns the type that holds the results of tensors of these types. */
  public static DType result(List<TensorType> types) {
    DType higher = null;
    DType lower = null;
    for (TensorType type : types) {
      if (type.rank() > 0) {
        higher = join(higher, type.dtype());
      } else {
        lower = join(lower, type.dtype());
      }
    }
    if (higher == null || lower == null) {
      return join(higher, lower == null ? DType.BOOL : lower);
    }
    return category(lower) > category(higher) ? join(higher, lower) : higher;
  }

  /** Returns {@code dtype} if it is floating-point, else FLOAT32, torch's default. */
  public static DType floating(DType dtype) {
    return dtype.isFloating() ? dtype : DType.FLOAT32;
  }

  private static int category(DType dtype) {
    return dtype.isFloating() ? 2 : dtype == DType.BOOL ? 0 : 1;
  }

  private static DType join(@Nullable DType a, DType b) {
    if (a == null || a == b) {
      return b;
    }
    if (category(a) != category(b)) {
      return category(a) > category(b) ? a : b;
    }
    if (a.bytes() != b.bytes()) {
      return a.bytes() > b.bytes() ? a : b;
    }
    // Of one width but different: FLOAT16 and BFLOAT16, or INT8 and UINT8; neither holds the other.
    return a.isFloating() ? DType.FLOAT32 : DType.INT16;
  }
}
