package io.hazelgrad.autograd.optim;

import io.hazelgrad.autograd.ops.InPlaceKernels.Op;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;

/**
 * A {@link Vector} in the memory of a device. Operations are written down, and done when the step
 * is complete, see {@link DeviceProgram}. Its window is always all of it.
 */
final class DeviceVector extends Vector {
  private final DeviceProgram program;
  private Tensor all;

  DeviceVector(DeviceProgram program, Tensor all) {
    this.program = program;
    this.all = all;
  }

  private static Tensor elements(Vector x) {
    return ((DeviceVector) x).all;
  }

  @Override
  void window(int newFrom, int newCount) {
    if (newFrom != 0 || newCount != all.size()) {
      throw new IllegalArgumentException("%s + %s of %s".formatted(newFrom, newCount, all.size()));
    }
  }

  @Override
  void store() {}

  @Override
  int size() {
    return all.size();
  }

  @Override
  void apply(Op op, double a, Vector x, Vector y) {
    program.add(op, a, 0, all, elements(x), elements(y));
  }

  /** Returns a vector of its own of the same elements. */
  DeviceVector copied() {
    DeviceVector copy = new DeviceVector(program, program.allocate(all.dtype(), all.size()));
    copy.apply(Op.SET, 1, this);
    return copy;
  }

  @Override
  Vector plus(double a, Vector x) {
    DeviceVector sum = copied();
    sum.apply(Op.ADD, a, x);
    return sum;
  }

  @Override
  void scaleBySign(Vector x, double down, double up, double least, double greatest) {
    program.add(Op.SCALE_BY_SIGN, down, up, all, elements(x), all);
    program.add(Op.LIMIT, least, greatest, all, all, all);
  }

  @Override
  void fill(int length, double value) {
    all = program.onDevice(Tensor.full(all.dtype(), value, length));
  }

  @Override
  void load(Tensor tensor) {
    DType dtype = all.dtype();
    all = program.onDevice(tensor.to(Device.CPU).to(dtype).reshape(tensor.size()));
  }

  @Override
  Tensor toTensor(long... shape) {
    return all.reshape(shape);
  }

  @Override
  Tensor copy(long... shape) {
    return all.to(Device.CPU).reshape(shape);
  }

  @Override
  double first() {
    return all.to(Device.CPU).storage().getDouble(0);
  }
}
