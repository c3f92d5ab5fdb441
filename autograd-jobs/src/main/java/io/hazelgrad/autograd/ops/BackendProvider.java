package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Device;

/**
 * The backends of one kind of device. An artifact that brings such devices names its implementation
 * in META-INF/services. Not for applications.
 */
public interface BackendProvider {
  /** Returns the kind of the devices, see {@link Device#kind()}. */
  String kind();

  /**
   * Returns the backend of a device that can be used here, the same one at each call. It takes
   * tensors on the device and on the CPU, and gives tensors on the device.
   */
  Backend backend(Device device);
}
