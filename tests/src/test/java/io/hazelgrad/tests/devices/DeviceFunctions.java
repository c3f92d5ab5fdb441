package io.hazelgrad.tests.devices;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.device.Devices;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Functions that the tests of devices call on workers. */
@RemoteFunctions
final class DeviceFunctions {
  private DeviceFunctions() {}

  /** Checks where the arguments arrived, and adds them on the device of the first. */
  static Tensor add(Tensor x, Tensor y, String xDevice, String yDevice) {
    requireOn(xDevice, x);
    requireOn(yDevice, y);
    return sum(x, y.to(x.device()));
  }

  /** Returns both sums, each on the device of one argument. */
  static List<Tensor> addOnBoth(Tensor x, Tensor y, String xDevice, String yDevice) {
    requireOn(xDevice, x);
    requireOn(yDevice, y);
    return List.of(sum(x, y.to(x.device())), sum(y, x.to(y.device())));
  }

  /** Returns a tensor on a device, wherever the argument is. */
  static Tensor moved(Tensor x, String device) {
    return x.to(Device.parse(device));
  }

  static String deviceOf(Tensor x) {
    return x.device().toString();
  }

  /** Adds without moving anything. */
  static Tensor sum(Tensor x, Tensor y) {
    return Catalogue.get("add")
        .forward(Catalogue.backend(), List.of(x, y), Attributes.none())
        .output();
  }

  // ---- Functions for gradients ----

  /** Sets the map of this worker for another one. */
  static String map(String callee, String from, String to) {
    Devices.of(Grid.current()).map(callee, Map.of(Device.parse(from), Device.parse(to)));
    return callee;
  }

  /** Returns the device of a variable that needs a gradient. */
  static String arrivedOn(Variable x) {
    return x.value().device().toString();
  }

  /** Squares a variable on the next worker. */
  static Variable squaredBy(String callee, Variable x) {
    return Grid.current().rpc().sync(callee, DeviceFunctions::squared, x);
  }

  static Variable squared(Variable x) {
    return x.mul(x);
  }

  /** Returns the square of a variable with a hook that moves the gradient to the CPU. */
  static Variable squaredWithAMovingHook(Variable x) {
    Variable.Hook unused = x.hook(gradient -> gradient.to(Device.CPU));
    return x.mul(x);
  }

  /** Adds two variables that must both be on a device. */
  static Variable addedOn(String device, Variable x, Variable y) {
    requireOn(device, x.value());
    requireOn(device, y.value());
    return x.add(y);
  }

  /** Returns the gradient of a leaf of this worker, after a check that it is where the leaf is. */
  static Tensor gradient(Variable leaf) {
    Context context = Objects.requireNonNull(Autograd.on(Grid.current()).current(), "no context");
    Tensor gradient = Objects.requireNonNull(context.gradient(leaf), "no gradient");
    requireOn(leaf.value().device().toString(), gradient);
    return gradient;
  }

  private static void requireOn(String device, Tensor tensor) {
    if (!tensor.device().toString().equals(device)) {
      throw new IllegalStateException("on " + tensor.device() + " instead of " + device);
    }
  }
}
