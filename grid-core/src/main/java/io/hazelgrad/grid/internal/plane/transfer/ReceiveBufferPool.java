package io.hazelgrad.grid.internal.plane.transfer;

import io.hazelgrad.grid.internal.plane.segment.SegmentPool;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap for large tensors that arrive by streams: they are read into it from the
 * socket, without a copy, and it is used again, so that nobody has to clear it.
 *
 * <p>If there is no room, tensors arrive on the heap; nobody waits, and no garbage collection is
 * asked for. Buffers that nobody used for a minute are left to the collector.
 *
 * <p>Threads: safe.
 */
public final class ReceiveBufferPool {
  /** Smaller ones arrive on the heap: there a copy costs little, and nobody need release them. */
  static final int LEAST_BYTES = 1 << 20;

  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final long limit;

  /** What is not in use, by size; guarded by this object, as is all that changes. */
  private final Map<Integer, ArrayDeque<Idle>> idle = new HashMap<>();

  private long made;
  private long lent;

  private record Idle(ByteBuffer memory, long since) {}

  /**
   * Makes one.
   *
   * @param limit of the bytes outside the heap
   */
  public ReceiveBufferPool(long limit) {
    this.limit = limit;
  }

  /** Returns memory for so many bytes, or a little more; null if there is no room. */
  synchronized @Nullable ByteBuffer take(long bytes) {
    int size = SegmentPool.slotBytes((int) bytes);
    ArrayDeque<Idle> shelf = idle.get(size);
    Idle free = shelf == null ? null : shelf.poll();
    if (free == null && made + size > limit) {
      return null;
    }
    ByteBuffer memory = free == null ? make(size) : free.memory;
    if (memory != null) {
      lent += size;
    }
    return memory;
  }

  private @Nullable ByteBuffer make(int size) {
    try {
      ByteBuffer memory = CacheLine.allocate(size);
      made += size;
      return memory;
    } catch (OutOfMemoryError e) { // Others use up what the JVM may have outside the heap.
      return null;
    }
  }

  /** Takes memory back that nobody uses any more. */
  synchronized void give(ByteBuffer memory) {
    lent -= memory.capacity();
    idle.computeIfAbsent(memory.capacity(), size -> new ArrayDeque<>())
        .push(new Idle(memory, System.nanoTime()));
  }

  /** Leaves memory to the collector, since somebody may still write to it. */
  synchronized void forget(ByteBuffer memory) {
    lent -= memory.capacity();
    made -= memory.capacity();
  }

  /** Leaves what was not used for long to the collector. */
  public synchronized void sweep() {
    long now = System.nanoTime();
    for (ArrayDeque<Idle> shelf : idle.values()) {
      while (!shelf.isEmpty() && now - shelf.getLast().since > IDLE_NANOS) {
        made -= shelf.removeLast().memory.capacity();
      }
    }
  }

  /** Returns the bytes that tensors lie in. */
  public synchronized long lentBytes() {
    return lent;
  }
}
