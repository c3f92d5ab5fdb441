package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;

/**
 * The type and the device of a tensor and of its gradient. The gradient of a sent tensor returns to
 * the device on which the tensor was, even if the device maps have changed since.
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
