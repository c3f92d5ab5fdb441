package io.hazelgrad.grid.profile;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** What threads allocate on Java's heap, where the JVM can tell. */
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

  /** Returns what this thread allocated since, if that is known. */
  static long since(long before) {
    return before == UNKNOWN ? UNKNOWN : allocatedByThisThread() - before;
  }
}
