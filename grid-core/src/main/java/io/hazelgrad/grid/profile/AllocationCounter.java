package io.hazelgrad.grid.profile;

import java.lang.management.ManagementFactory;
import java.util.Set;
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

  /** Returns the bytes that this thread has allocated; {@link #UNKNOWN} unless they are wanted. */
  static long now(Set<Detail> details) {
    return THREADS == null || !details.contains(Detail.MEMORY)
        ? UNKNOWN
        : THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Returns the bytes that this thread has allocated since {@link #now} returned this. */
  static long since(long before) {
    return THREADS == null || before == UNKNOWN
        ? UNKNOWN
        : THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }
}
