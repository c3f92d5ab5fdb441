package io.hazelgrad.cuda.internal;

import io.hazelgrad.cuda.internal.Gpu.Memory;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.DeviceStorage;
import io.hazelgrad.grid.Storage;
import java.lang.ref.Reference;

/** Elements in the memory of a GPU. Threads: safe. */
final class CudaStorage extends DeviceStorage {
  private final Gpu gpu;
  private final Memory memory;

  CudaStorage(Gpu gpu, DType dtype, int length, Memory memory) {
    super(dtype, length, gpu.device());
    this.gpu = gpu;
    this.memory = memory;
  }

  /** Returns whether the elements lie in the memory of that GPU. */
  boolean isOn(Gpu other) {
    return gpu == other;
  }

  /** Returns the address of the elements; the storage must be kept alive until it is used. */
  long address() {
    long address = memory.address();
    if (address == 0) {
      throw new IllegalStateException("this tensor's memory on " + device() + " was released");
    }
    return address;
  }

  /** Keeps indices, which are checked on the host before a kernel uses them. */
  void remember(Storage copied) {
    if (dtype() == DType.INT64) {
      keepOnHost(copied);
    }
  }

  /** Keeps the memory from being given back before. After an error, nobody uses the address. */
  @SuppressWarnings("ReachabilityFenceUsage") // For the same reason it needs no finally.
  void keepAlive() {
    Reference.reachabilityFence(this);
  }

  @Override
  protected void read(int from, int count, Target target) {
    gpu.download(this, from, count, (at, some, bytes) -> target.take(from + at, some, bytes));
    keepAlive();
  }

  @Override
  public void release() {
    memory.giveBack();
  }
}
