package io.hazelgrad.autograd.internal.backend;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.bytedeco.javacpp.BytePointer;

/**
 * Memory outside the heap for the operands of one product. It is reused, because the first
 * access to new memory takes longer than a product of some hundred rows.
 *
 * <p>What is kept is bounded: a piece for each core, of {@link #MOST_KEPT} bytes at most.
 */
final class ScratchMemory implements AutoCloseable {
  private static final long MOST_KEPT = 32 << 20;
  private static final long LEAST = 64 << 10;
  private static final Queue<ScratchMemory> FREE =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  private final BytePointer memory;

  private ScratchMemory(long bytes) {
    memory = new BytePointer(bytes);
  }

  /** Takes at least so much; closing gives it back. */
  static ScratchMemory take(long bytes) {
    ScratchMemory free = bytes > MOST_KEPT ? null : FREE.poll();
    if (free != null && free.memory.capacity() >= bytes) {
      return free;
    }
    if (free != null) {
      free.memory.deallocate();
    }
    boolean once = bytes > MOST_KEPT;
    return new ScratchMemory(once ? bytes : Math.max(LEAST, Long.highestOneBit(bytes - 1) << 1));
  }

  BytePointer pointer() {
    return memory;
  }

  @Override
  public void close() {
    if (memory.capacity() > MOST_KEPT || !FREE.offer(this)) {
      memory.deallocate();
    }
  }
}
