package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;

/**
 * Type and device of a tensor, which its gradient has too. The gradient of a tensor that was sent
 * comes back to the device where the tensor was: by the inverse of the device map that the tensor
 * went by, whatever maps are set meanwhile.
 */
public record TypeAndDevice(TensorType type, Device device) {
  public static TypeAndDevice of(Tensor tensor) {
    return new TypeAndDevice(TensorType.of(tensor), tensor.device());
  }

  @Override
  public String toString() {
    return type + " on " + device;
  }
}
