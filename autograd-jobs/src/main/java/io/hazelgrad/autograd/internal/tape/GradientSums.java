package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import org.jspecify.annotations.Nullable;

/** Adds gradients of one variable. */
public final class GradientSums {
  public static final Backend BACKEND = Catalogue.backend();

  private GradientSums() {}

  /**
   * Returns the sum, on the device of the added gradient: a leaf may move to another device between
   * two passes, and its gradient follows it.
   */
  public static Tensor add(@Nullable Tensor sum, Tensor more) {
    if (sum == null) {
      return more;
    }
    Device device = more.device();
    return BACKEND.binary(Backend.Binary.ADD, sum.to(device), more).to(device);
  }
}
