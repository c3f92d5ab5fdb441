package io.hazelgrad.autograd.nn;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.device.Devices;
import java.util.Set;

/**
 * A worker and one of its devices, written {@code "worker"} or {@code "worker/device"}.
 *
 * @param worker the worker's name
 * @param device the device, the CPU if none is said
 */
record ModulePlace(String worker, Device device) {
  static ModulePlace parse(String text) {
    int slash = text.indexOf('/');
    String worker = slash < 0 ? text : text.substring(0, slash);
    if (worker.isEmpty()) {
      throw Module.bad("a place is worker or worker/device: \"" + text + "\" names no worker");
    }
    try {
      return new ModulePlace(
          worker, slash < 0 ? Device.CPU : Device.parse(text.substring(slash + 1)));
    } catch (IllegalArgumentException e) {
      throw Module.bad("a place is worker or worker/device: \"" + text + "\"; " + e.getMessage());
    }
  }

  /** Requires that the worker has declared the device; a client leaves that to the worker. */
  void requireDevice(GridAccess grid) {
    if (device.isCpu() || !(grid instanceof Grid here)) {
      return;
    }
    Set<Device> declared = Devices.of(here).declared(worker);
    if (!declared.contains(device)) {
      throw Module.bad(
          "worker " + worker + " has no device " + device + "; beside the CPU it has " + declared);
    }
  }
}
