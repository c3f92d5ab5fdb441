package io.hazelgrad.cuda.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.testkit.Await;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The memory of a GPU is lent, given back and lent again, and a damaged GPU says so. */
class GpuTest {
  private static final long MEMORY = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A driver with little memory, which does nothing else. */
  private static final class SmallDriver implements Driver {
    private final Map<Long, Long> blocks = new HashMap<>();
    private long next = 4096;
    private int allocations;
    private int downloads;

    @Override
    public String name() {
      return "a small GPU";
    }

    @Override
    public long allocate(long bytes) {
      allocations++;
      if (blocks.values().stream().mapToLong(Long::longValue).sum() + bytes > MEMORY) {
        return 0;
      }
      next += bytes;
      blocks.put(next, bytes);
      return next;
    }

    @Override
    public void free(long address) {
      assertThat(blocks.remove(address)).as("a block that was allocated").isNotNull();
    }

    @Override
    public LongSupplier measure() {
      return () -> 0;
    }

    @Override
    public long memory() {
      return MEMORY;
    }

    @Override
    public void upload(long to, int count, int each, Part from) {}

    @Override
    public void download(Part to, long from, int count, int each) {
      downloads++;
    }

    @Override
    public void clear(long to, long bytes) {}

    @Override
    public void launch(String kernel, int blocks, int threads, ByteBuffer parameters) {}

    @Override
    public void multiply(Product product, long a, long b, long out) {}
  }

  private final SmallDriver driver = new SmallDriver();
  private final Gpu gpu = new Gpu(Device.gpu(3), driver);

  private Tensor tensor(int bytes) {
    return gpu.allocate(DType.INT8, bytes).tensor(bytes);
  }

  @Test
  void releasedMemoryIsLentAgain() {
    for (int i = 0; i < 100; i++) {
      tensor(100_000).release();
    }
    assertThat(driver.allocations).isEqualTo(1);
    assertThat(gpu.lentBytes()).isZero();
    assertThat(gpu.pooledBytes()).isEqualTo(Gpu.blockBytes(100_000));
  }

  @Test
  void memoryOfUnreachableTensorsIsLentAgain() {
    // Ten times as much as there is, and nobody releases it.
    for (int i = 0; i < 100; i++) {
      Tensor unused = tensor(100_000);
    }
    assertThat(driver.blocks).hasSizeLessThanOrEqualTo((int) (MEMORY / Gpu.blockBytes(100_000)));
  }

  @Test
  void garbageIsCollectedBesideTheWorkBeforeMemoryRunsOut() {
    for (int i = 0; i < 10; i++) {
      Tensor unused = tensor(50_000);
    }
    assertThat(driver.allocations).isLessThanOrEqualTo(10); // Memory has not run out.
    Await.until("memory is back", PATIENCE, () -> gpu.lentBytes() < 10 * Gpu.blockBytes(50_000));
  }

  @Test
  void poolIsFreedForBlocksOfOtherSizes() {
    tensor(600_000).release();
    Tensor other = tensor(900_000);
    assertThat(driver.blocks).containsOnlyKeys(((CudaStorage) other.storage()).address());
    other.release();
  }

  @Test
  void tensorIsRefusedWithoutMemoryAndTheOthersStay() {
    List<Tensor> held = new ArrayList<>(List.of(tensor(500_000), tensor(400_000)));
    long lent = gpu.lentBytes();
    assertThatThrownBy(() -> tensor(300_000))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.REJECTED))
        .hasMessageContaining("gpu:3 (a small GPU) has no memory for")
        .hasMessageContaining("tensors have %,d".formatted(lent));
    assertThat(gpu.lentBytes()).isEqualTo(lent);
    held.remove(0).release();
    tensor(300_000).release();
    held.get(0).release();
    assertThat(gpu.lentBytes()).isZero();
  }

  @Test
  void releasedTensorIsRefused() {
    Tensor x = tensor(10);
    x.release();
    x.release();
    assertThat(gpu.lentBytes()).isZero();
    assertThatThrownBy(x::toFloats)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("gpu:3 was released");
  }

  @Test
  void indicesFromTheHostAreReadWithoutWaitingForTheGpu() {
    Tensor index = gpu.upload(Tensor.wrap(new long[] {3, 4}, 2).storage()).tensor(2);
    assertThat(index.storage().getLong(1)).isEqualTo(4);
    assertThat(driver.downloads).isZero();
    Tensor values = gpu.upload(Tensor.wrap(new float[] {3, 4}, 2).storage()).tensor(2);
    assertThat(values.storage().getDouble(1)).isZero(); // This driver keeps no elements.
    assertThat(driver.downloads).isEqualTo(1);
    index.release();
    values.release();
  }

  @Test
  void blocksLoseAtMostAQuarter() {
    for (long bytes = 1; bytes < MEMORY; bytes = bytes * 5 / 4 + 1) {
      long block = Gpu.blockBytes(bytes);
      assertThat(block).isBetween(bytes, Math.max(512, bytes + bytes / 4 + 512));
    }
    assertThat(Gpu.blockBytes(513)).isEqualTo(1024);
  }

  @Test
  void damagedGpuRefusesAllWorkAndSaysWhatToDo() {
    Gpu unused = TestGpu.open(); // The libraries.
    NativeDriver damaged = new NativeDriver(0, Gpus.kernels());
    long address = damaged.allocate(512);
    assertThatThrownBy(() -> damaged.launch("none", 1, 256, ByteBuffer.allocate(0)))
        .hasMessageContaining("none failed");
    assertThatThrownBy(() -> damaged.free(address))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.INTERNAL))
        .hasMessageContaining("cuModuleGetFunction none failed with error 500")
        .hasMessageContaining("start this process anew");
    // The CPU goes on.
    Backend cpu = Catalogue.backend();
    assertThat(cpu.unary(Backend.Unary.NEG, Tensor.scalar(2)).item()).isEqualTo(-2);
  }
}
