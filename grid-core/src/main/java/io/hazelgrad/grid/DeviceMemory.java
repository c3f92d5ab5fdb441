package io.hazelgrad.grid;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one kind of device. An artifact that brings such devices names its implementation
 * in META-INF/services; grid-core itself has none. Not for applications.
 *
 * <p>Threads: implementations must be safe for use by many threads at once.
 */
public interface DeviceMemory {
  /** The implementations on the class path, which {@link ServiceLoader} finds at the first use. */
  List<DeviceMemory> ALL =
      ServiceLoader.load(DeviceMemory.class, DeviceMemory.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  /** Returns the kind of the devices, see {@link Device#kind()}. */
  String kind();

  /** Returns why a device of this kind cannot be used here, with what to do; null if it can. */
  @Nullable String unusable(Device device);

  /** Returns the bytes that tensors have on a device that can be used here. */
  long usedBytes(Device device);

  /**
   * Begins to measure the time for which a device works. The returned function waits for all work
   * that was asked for meanwhile, and returns its nanoseconds; it is called once. Null if devices
   * of this kind have no clock.
   */
  default @Nullable LongSupplier measure(Device device) {
    return null;
  }

  /** Copies elements from the host to a device. */
  DeviceStorage upload(Device device, Storage elements);

  /** Returns the elements as another type, on their device; the rules are {@link Tensor#to}'s. */
  DeviceStorage convert(DeviceStorage elements, DType target);

  /**
   * Returns the memory of a device.
   *
   * @throws GridException BAD_CONFIG with the reason, if the device cannot be used here
   */
  static DeviceMemory of(Device device) {
    String why =
        "%s cannot be used: no artifact on the class path has devices of the kind %s; GPUs need"
            + " io.hazelgrad:hazelgrad-cuda";
    DeviceMemory memory =
        ALL.stream()
            .filter(it -> it.kind().equals(device.kind()))
            .findFirst()
            .orElseThrow(
                () -> new GridException(Status.BAD_CONFIG, why.formatted(device, device.kind())));
    String reason = memory.unusable(device);
    if (reason != null) {
      throw new GridException(Status.BAD_CONFIG, device + " cannot be used: " + reason);
    }
    return memory;
  }
}
