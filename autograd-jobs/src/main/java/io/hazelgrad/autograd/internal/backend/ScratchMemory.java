package io.hazelgrad.autograd.internal.backend;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.bytedeco.javacpp.BytePointer;

/**
 * Memory outside the heap for the operands of one product. It is reused, because the first access
 * to new memory takes longer than a product of some hundred rows.
 *
 * <p>What is kept is bounded: a piece for each core, of {@link #MOST_KEPT} bytes at most.
 */
record ScratchMemory(BytePointer pointer) implements AutoCloseable {
  private static final long MOST_KEPT = 32 << 20;
  private static final long LEAST = 64 << 10;
  private static final Queue<ScratchMemory> FREE =
      new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

  /** Takes at least so much; closing gives it back. */
  static ScratchMemory take(long bytes) {
    ScratchMemory free = bytes > MOST_KEPT ? null : FREE.poll();
    if (free != null && free.pointer.capacity() >= bytes) {
      return free;
    }
    if (free != null) {
      free.pointer.deallocate();
    }
    boolean once = bytes > MOST_KEPT;
    long size = once ? bytes : Math.max(LEAST, Long.highestOneBit(bytes - 1) << 1);
    return new ScratchMemory(new BytePointer(size));
  }

  @Override
  public void close() {
    if (pointer.capacity() > MOST_KEPT || !FREE.offer(this)) {
      pointer.deallocate();
    }
  }
}
