package io.hazelgrad.cuda.internal;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Storage;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * One GPU: its driver, and a pool of its memory. Memory that was given back is lent again before
 * the driver is asked. That is safe without waiting, since all work is done in one order.
 *
 * <p>Java's collector does not know that small objects hold a GPU's memory. So the pool asks for a
 * collection when memory runs out, and waits for it. Another one runs beside the work when the lent
 * memory has doubled since the last collection, and has grown by at least an eighth of the GPU's.
 *
 * <p>Threads: safe; one at a time uses the driver.
 */
final class Gpu {
  private static final int LEAST_BLOCK = 512;
  private static final int SHARE_OF_GROWTH = 8;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final Device device;
  private final Driver driver;
  private final Map<Long, Deque<Long>> free = new HashMap<>();

  /** The leases of the storages that may still be reachable. */
  private final Set<Lease> leases = new HashSet<>();

  private final ReferenceQueue<Object> unreachable = new ReferenceQueue<>();
  private final Object collecting = new Object();
  private final AtomicBoolean isCollecting = new AtomicBoolean();
  private final long leastGrowth;
  private long lent;
  private long collectAt;

  Gpu(Device device, Driver driver) {
    this.device = device;
    this.driver = driver;
    this.leastGrowth = driver.memory() / SHARE_OF_GROWTH;
    this.collectAt = leastGrowth;
  }

  Device device() {
    return device;
  }

  /** Returns the bytes that storages have now. */
  synchronized long lentBytes() {
    takeBack();
    return lent;
  }

  /** Returns the bytes that wait in the pool. */
  synchronized long pooledBytes() {
    return free.entrySet().stream().mapToLong(e -> e.getKey() * e.getValue().size()).sum();
  }

  /** Returns room for elements. They have any values. */
  CudaStorage allocate(DType dtype, int length) {
    long bytes = blockBytes((long) length * dtype.bytes());
    long address = take(bytes);
    if (address == 0) {
      collect(2);
      address = take(bytes);
    }
    if (address == 0) {
      throw new GridException(
          Status.REJECTED,
          "%s (%s) has no memory for %,d bytes: tensors have %,d; release() those that are done with"
              .formatted(device, driver.name(), bytes, lentBytes()));
    }
    Memory memory = new Memory(this, address, bytes);
    CudaStorage storage = new CudaStorage(this, dtype, length, memory);
    synchronized (this) {
      leases.add(new Lease(storage, memory, unreachable));
    }
    return storage;
  }

  /**
   * Collects garbage, and takes back the memory of storages that were unreachable before. After two
   * rounds it is that of all: what the first collection finds has certainly reached the queue when
   * the second one's sentinel has.
   */
  private void collect(int rounds) {
    synchronized (collecting) {
      for (int round = 0; round < rounds; round++) {
        Sentinel sentinel = new Sentinel(unreachable);
        System.gc();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!sentinel.seen && System.nanoTime() < deadline) {
          await();
        }
      }
    }
    synchronized (this) {
      collectAt = lent + Math.max(leastGrowth, lent);
    }
  }

  /** Collects garbage while others work, in a thread that ends with it. */
  private void collectBeside() {
    if (isCollecting.compareAndSet(false, true)) {
      Runnable collection =
          () -> {
            try {
              collect(1);
            } finally {
              isCollecting.set(false);
            }
          };
      Thread thread = new Thread(collection, "hazelgrad-" + device + "-collection");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void await() {
    try {
      Reference<?> next = unreachable.remove(PATIENCE.toMillis() / 20);
      if (next != null) {
        takeBack(next);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      takeBack();
      Thread.onSpinWait();
    }
  }

  /** Takes back the memory of all storages that are known to be unreachable. */
  private void takeBack() {
    for (Reference<?> next = unreachable.poll(); next != null; next = unreachable.poll()) {
      takeBack(next);
    }
  }

  private synchronized void takeBack(Reference<?> unreachableOne) {
    if (unreachableOne instanceof Lease lease) {
      leases.remove(lease);
      lease.memory.giveBack();
    } else if (unreachableOne instanceof Sentinel sentinel) {
      sentinel.seen = true;
    }
  }

  /** Returns the address of a block, or 0; has garbage collected if it is time. */
  private long take(long bytes) {
    synchronized (this) {
      takeBack();
      if (lent + bytes > collectAt) {
        collectBeside();
      }
      Deque<Long> same = free.get(bytes);
      Long known = same == null ? null : same.poll();
      long address = known == null ? driver.allocate(bytes) : known;
      if (address == 0) {
        releasePool();
        address = driver.allocate(bytes);
      }
      lent += address == 0 ? 0 : bytes;
      return address;
    }
  }

  private void releasePool() {
    free.forEach((bytes, addresses) -> addresses.forEach(driver::free));
    free.clear();
  }

  private void giveBack(long address, long bytes) {
    free.computeIfAbsent(bytes, size -> new ArrayDeque<>()).push(address);
    lent -= bytes;
  }

  /** Returns the size of the block for so many bytes: at most a quarter is lost. */
  static long blockBytes(long bytes) {
    long size = Math.max(bytes, LEAST_BLOCK);
    long step = Math.max(LEAST_BLOCK, Long.highestOneBit(size) / 4);
    return (size + step - 1) / step * step;
  }

  /** Returns a launch of a kernel. */
  Launch launch(String kernel) {
    return new Launch(kernel);
  }

  /** Returns a copy of elements that lie elsewhere. */
  CudaStorage upload(Storage from) {
    CudaStorage to = allocate(from.dtype(), from.length());
    synchronized (this) {
      driver.upload(to.address(), from.length(), from.dtype().bytes(), from::copyTo);
    }
    to.remember(from);
    return to;
  }

  /** Returns the elements as another type; itself if they have it. */
  CudaStorage convert(CudaStorage from, DType target) {
    if (from.dtype() == target) {
      return from;
    }
    CudaStorage to = allocate(target, from.length());
    launch("convert")
        .with(to)
        .with(from)
        .with((long) from.length())
        .with(target)
        .with(from.dtype())
        .over(from.length());
    return to;
  }

  synchronized void download(CudaStorage from, int at, int count, Driver.Part to) {
    int each = from.dtype().bytes();
    driver.download(to, from.address() + (long) at * each, count, each);
  }

  /** Begins to measure the time of work; see {@link Driver#measure}. */
  synchronized LongSupplier measure() {
    LongSupplier end = driver.measure();
    return () -> {
      synchronized (this) {
        return end.getAsLong();
      }
    };
  }

  synchronized void clear(CudaStorage storage) {
    driver.clear(storage.address(), (long) storage.length() * storage.dtype().bytes());
  }

  /** Multiplies matrices. */
  void multiply(Driver.Product product, CudaStorage a, CudaStorage b, CudaStorage out) {
    synchronized (this) {
      driver.multiply(product, a.address(), b.address(), out.address());
    }
    List.of(a, b, out).forEach(CudaStorage::keepAlive);
  }

  /** The memory of one storage, given back once. */
  static final class Memory {
    private final Gpu gpu;
    private final long bytes;
    private volatile long address;

    private Memory(Gpu gpu, long address, long bytes) {
      this.gpu = gpu;
      this.address = address;
      this.bytes = bytes;
    }

    /** Returns the address, or 0 after it was given back. */
    long address() {
      return address;
    }

    void giveBack() {
      synchronized (gpu) {
        if (address != 0) {
          gpu.giveBack(address, bytes);
          address = 0;
        }
      }
    }
  }

  /** Tells when a storage is unreachable. */
  private static final class Lease extends PhantomReference<Object> {
    private final Memory memory;

    Lease(CudaStorage storage, Memory memory, ReferenceQueue<Object> queue) {
      super(storage, queue);
      this.memory = memory;
    }
  }

  /** Tells that a collection has gone through. */
  private static final class Sentinel extends PhantomReference<Object> {
    private volatile boolean seen;

    Sentinel(ReferenceQueue<Object> queue) {
      super(new Object(), queue);
    }
  }

  /** A launch of a kernel, whose parameters are given in their order. */
  final class Launch {
    private static final int THREADS = 256;
    private static final int PACK = 16;
    private static final int MOST_BLOCKS = 1 << 16;

    /** Enough for each kernel; the most has that of the optimizers. */
    private static final int MOST_PARAMETERS = 1024;

    private final String kernel;
    private final ByteBuffer parameters =
        ByteBuffer.allocate(MOST_PARAMETERS).order(ByteOrder.nativeOrder());
    private final List<CudaStorage> used = new ArrayList<>(4);

    private Launch(String kernel) {
      this.kernel = kernel;
    }

    Launch with(CudaStorage storage) {
      return with(storage, 0);
    }

    /** Adds the address of an element. */
    Launch with(CudaStorage storage, long element) {
      used.add(storage);
      return with(storage.address() + element * storage.dtype().bytes());
    }

    /** Adds the number of a choice. The kernels count as the enums do. */
    @SuppressWarnings("EnumOrdinal") // A test compares results of each constant with the CPU's.
    Launch with(Enum<?> choice) {
      return with(choice.ordinal());
    }

    Launch with(int value) {
      parameters.putInt(value);
      return this;
    }

    Launch with(long value) {
      aligned(Long.BYTES).putLong(value);
      return this;
    }

    Launch with(float value) {
      parameters.putFloat(value);
      return this;
    }

    Launch with(double value) {
      aligned(Double.BYTES).putDouble(value);
      return this;
    }

    /** Adds a struct of ints. */
    Launch with(int[] struct) {
      for (int each : struct) {
        parameters.putInt(each);
      }
      return this;
    }

    /** Starts it with a thread for each of n elements, or fewer for very many. */
    void over(long n) {
      start((n + THREADS - 1) / THREADS);
    }

    /** Starts it with a thread for each pack of 16 bytes that it writes. */
    void overPacks(CudaStorage out) {
      over(((long) out.length() * out.dtype().bytes() + PACK - 1) / PACK);
    }

    /** Starts it with so many blocks, or fewer if they are very many. */
    void start(long blocks) {
      if (blocks > 0) {
        synchronized (Gpu.this) {
          driver.launch(kernel, (int) Math.min(blocks, MOST_BLOCKS), THREADS, parameters.flip());
        }
      }
      used.forEach(CudaStorage::keepAlive);
    }

    private ByteBuffer aligned(int bytes) {
      return parameters.position((parameters.position() + bytes - 1) / bytes * bytes);
    }
  }
}
