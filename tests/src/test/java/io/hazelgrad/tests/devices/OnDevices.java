package io.hazelgrad.tests.devices;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.CpuBackend;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** What the tests of devices call. */
@RemoteFunctions
final class OnDevices {
  private OnDevices() {}

  /** Checks where the arguments arrived, and adds them on the device of the first. */
  static Tensor add(Tensor x, Tensor y, String xDevice, String yDevice) {
    requireOn(xDevice, x);
    requireOn(yDevice, y);
    return sum(x, y.to(x.device()));
  }

  /** Gives both orders, on the device of each argument. */
  static List<Tensor> addOnBoth(Tensor x, Tensor y, String xDevice, String yDevice) {
    requireOn(xDevice, x);
    requireOn(yDevice, y);
    return List.of(sum(x, y.to(x.device())), sum(y, x.to(y.device())));
  }

  /** Gives a tensor on a device, wherever the argument is. */
  static Tensor moved(Tensor x, String device) {
    return x.to(Device.parse(device));
  }

  static String deviceOf(Tensor x) {
    return x.device().toString();
  }

  /** Adds without moving anything. */
  static Tensor sum(Tensor x, Tensor y) {
    return Catalogue.get("add")
        .forward(new CpuBackend(), List.of(x, y), Attributes.none())
        .output();
  }

  private static void requireOn(String device, Tensor tensor) {
    if (!tensor.device().toString().equals(device)) {
      throw new IllegalStateException("on " + tensor.device() + " instead of " + device);
    }
  }
}
