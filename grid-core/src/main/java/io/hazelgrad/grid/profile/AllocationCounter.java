package io.hazelgrad.grid.profile;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** Reads how many bytes a thread has allocated on Java's heap, if the JVM counts them. */
final class AllocationCounter {
  static final long UNKNOWN = -1;

  private static final com.sun.management.@Nullable ThreadMXBean THREADS =
      ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean bean
              && bean.isThreadAllocatedMemorySupported()
              && bean.isThreadAllocatedMemoryEnabled()
          ? bean
          : null;

  private AllocationCounter() {}

  static long allocatedByThisThread() {
    return THREADS == null
        ? UNKNOWN
        : THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /**
   * Returns the bytes that this thread has allocated since; {@link #UNKNOWN} if that is not known.
   */
  static long since(long before) {
    return before == UNKNOWN ? UNKNOWN : allocatedByThisThread() - before;
  }
}
