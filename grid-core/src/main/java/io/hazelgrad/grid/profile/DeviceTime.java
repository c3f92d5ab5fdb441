package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.DeviceMemory;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Measures how long the device of an operation's inputs works for it. Used by one thread. */
final class DeviceTime {
  /** Measures nothing. */
  static final DeviceTime NONE = new DeviceTime(null);

  private final @Nullable LongSupplier end;

  private DeviceTime(@Nullable LongSupplier end) {
    this.end = end;
  }

  /** Begins to measure, if that is wanted and the device has a clock. */
  static DeviceTime of(List<Tensor> inputs, Set<Detail> details) {
    if (!details.contains(Detail.DEVICES)) {
      return NONE;
    }
    for (Tensor input : inputs) {
      Device device = input.device();
      if (!device.isOfHost()) {
        return new DeviceTime(DeviceMemory.of(device).measure(device));
      }
    }
    return NONE;
  }

  /** Waits for the device and returns its time, 0 if none is measured. */
  long nanos() {
    try {
      return end == null ? 0 : end.getAsLong();
    } catch (GridException e) {
      return 0; // The device has failed, and so has the operation.
    }
  }
}
