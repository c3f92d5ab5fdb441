package io.hazelgrad.cuda.internal;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.DeviceMemory;
import io.hazelgrad.grid.DeviceStorage;
import io.hazelgrad.grid.Storage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The memory of the GPUs. */
public final class CudaMemory implements DeviceMemory {
  @Override
  public String kind() {
    return Device.GPU;
  }

  @Override
  public @Nullable String unusable(Device device) {
    return Gpus.unusable(device);
  }

  @Override
  public long usedBytes(Device device) {
    return Gpus.of(device).lentBytes();
  }

  @Override
  public LongSupplier measure(Device device) {
    return Gpus.of(device).measure();
  }

  @Override
  public DeviceStorage upload(Device device, Storage elements) {
    return Gpus.of(device).upload(elements);
  }

  @Override
  public DeviceStorage convert(DeviceStorage elements, DType target) {
    return Gpus.of(elements.device()).convert((CudaStorage) elements, target);
  }
}
