package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.internal.plane.segment.SegmentPool;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reusable memory outside the heap for large tensors, read from the socket without a copy or an
 * earlier clearing. If the pool is full, tensors arrive on the heap; nothing waits. Buffers that
 * were idle for a minute are left to the garbage collector. Threads: safe.
 */
public final class ReceiveBufferPool {
  /** Smaller tensors arrive on the heap: a copy costs little, and they need not be released. */
  static final int MIN_BYTES = 1 << 20;

  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final long limit;

  /** The idle buffers by size; guarded by this object, like all mutable fields. */
  private final Map<Integer, ArrayDeque<Idle>> idle = new HashMap<>();

  private long allocated;
  private long lent;

  private record Idle(ByteBuffer memory, long since) {}

  /** Creates a pool of at most {@code limit} bytes outside the heap. */
  public ReceiveBufferPool(long limit) {
    this.limit = limit;
  }

  /** Returns memory for at least {@code bytes} bytes; null if there is no room. */
  synchronized @Nullable ByteBuffer take(long bytes) {
    int size = SegmentPool.slotBytes((int) bytes);
    ArrayDeque<Idle> sameSize = idle.get(size);
    Idle free = sameSize == null ? null : sameSize.poll();
    if (free == null && allocated + size > limit) {
      return null;
    }
    ByteBuffer memory = free == null ? allocate(size) : free.memory;
    if (memory != null) {
      lent += size;
    }
    return memory;
  }

  private @Nullable ByteBuffer allocate(int size) {
    try {
      ByteBuffer memory = CacheLine.allocate(size);
      allocated += size;
      return memory;
    } catch (OutOfMemoryError e) { // The JVM's direct memory is used up by others.
      return null;
    }
  }

  synchronized void give(ByteBuffer memory) {
    lent -= memory.capacity();
    idle.computeIfAbsent(memory.capacity(), size -> new ArrayDeque<>())
        .push(new Idle(memory, System.nanoTime()));
  }

  /** Leaves a buffer to the collector, since a late chunk may still be written to it. */
  synchronized void forget(ByteBuffer memory) {
    lent -= memory.capacity();
    allocated -= memory.capacity();
  }

  /** Leaves the buffers that were idle for a minute to the collector. */
  public synchronized void sweep() {
    long now = System.nanoTime();
    for (ArrayDeque<Idle> sameSize : idle.values()) {
      while (!sameSize.isEmpty() && now - sameSize.getLast().since > IDLE_NANOS) {
        allocated -= sameSize.removeLast().memory.capacity();
      }
    }
  }

  public synchronized long lentBytes() {
    return lent;
  }
}
