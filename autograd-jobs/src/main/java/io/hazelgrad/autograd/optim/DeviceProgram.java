package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels;
import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.autograd.ops.InPlaceKernels.Step;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The operations of an optimizer's step on a device, written down so that the device can do all of
 * them in one pass over memory. Threads: not safe.
 */
final class DeviceProgram {
  private final Device device;
  private final InPlaceKernels kernels;
  private final List<Step> steps = new ArrayList<>();

  DeviceProgram(Device device, InPlaceKernels kernels) {
    this.device = device;
    this.kernels = kernels;
  }

  /** Returns a tensor of the elements, on the device. */
  Tensor onDevice(Tensor elements) {
    return elements.to(device);
  }

  /** Returns a tensor whose elements have any values. */
  Tensor allocate(DType dtype, long... shape) {
    return kernels.allocate(dtype, shape);
  }

  void add(Op op, double a, double b, Tensor d, Tensor x, Tensor y) {
    steps.add(new Step(op, a, b, d, x, y));
  }

  /** Forgets what was written down. */
  void clear() {
    steps.clear();
  }

  /** Does what was written down. */
  void run() {
    kernels.run(List.copyOf(steps));
    steps.clear();
  }
}
