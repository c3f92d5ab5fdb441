package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.BackendProvider;
import io.hazelgrad.grid.Device;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The backends of the GPUs. */
public final class CudaBackends implements BackendProvider {
  private final Map<Device, Backend> backends = new ConcurrentHashMap<>();

  @Override
  public String kind() {
    return Device.GPU;
  }

  @Override
  public Backend backend(Device device) {
    return backends.computeIfAbsent(device, it -> new CudaBackend(Gpus.of(it)));
  }
}
