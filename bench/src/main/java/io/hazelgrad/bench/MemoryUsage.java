package io.hazelgrad.bench;

import com.sun.management.ThreadMXBean;
import io.hazelgrad.grid.RemoteFunctions;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * The bytes that this process uses: its heap after a full collection, and direct and mapped
 * buffers. The entries of Hazelcast's maps count where their members store them. Resident memory is
 * no measure, because a JVM does not return memory that it once had.
 */
@RemoteFunctions
public final class MemoryUsage {
  /** The later collections free what cleaners held; cleaners take a moment. */
  private static final int COLLECTIONS = 10;

  private static final long PAUSE_NANOS = 50_000_000;

  private MemoryUsage() {}

  /** Returns the bytes that all live threads have allocated on the heap since their start. */
  public static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return LongStream.of(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  /** Returns the bytes that this process uses, after full collections. */
  public static long used() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    long bytes = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      bytes += Math.max(0, pool.getMemoryUsed());
    }
    return bytes;
  }
}
