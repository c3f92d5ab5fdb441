package io.hazelgrad.grid.internal.runtime;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The limit that ND4J's allocator sets to the resident memory of the process. Its default is four
 * times the heap; but segments of shared memory count as resident, so with a small heap and some
 * large tensors in them ND4J would refuse to allocate anything. Here it is the machine's memory,
 * unless somebody set it.
 *
 * <p>The allocator reads the property once, when ND4J is used first.
 */
public final class NativeMemoryLimit {
  static final String LIMIT = "org.bytedeco.javacpp.maxphysicalbytes";

  private NativeMemoryLimit() {}

  public static void configure() {
    if (System.getProperty(LIMIT) == null
        && ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      System.setProperty(LIMIT, Long.toString(system.getTotalMemorySize()));
    }
  }
}
