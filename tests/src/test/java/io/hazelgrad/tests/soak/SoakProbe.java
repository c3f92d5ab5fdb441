package io.hazelgrad.tests.soak;

import com.hazelcast.core.DistributedObject;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.sun.management.UnixOperatingSystemMXBean;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.metrics.Metrics;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

/** Functions of the soak: its work, and what a worker holds. */
@RemoteFunctions
final class SoakProbe {
  private static final String HEAP = "heap.bytes";
  private static final String DIRECT = "direct.bytes";

  private SoakProbe() {}

  /** Returns what the called worker holds, after a collection. */
  static Map<String, Long> counts() {
    return counts(Grid.current());
  }

  static Map<String, Long> counts(Grid grid) {
    System.gc();
    Map<String, Long> counts = new TreeMap<>();
    counts.put(HEAP, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        counts.put(DIRECT, pool.getMemoryUsed());
      }
    }
    counts.put("threads", (long) ManagementFactory.getThreadMXBean().getThreadCount());
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      counts.put("open.files", system.getOpenFileDescriptorCount());
    }
    Metrics.of(grid).figures().forEach((name, count) -> addTable(counts, name, count));
    maps(grid.hazelcast()).forEach((name, size) -> counts.put("map." + name, size));
    return counts;
  }

  /** Adds a figure that is the size of a table, not a count of what has happened. */
  private static void addTable(Map<String, Long> counts, String name, long count) {
    boolean isTable =
        name.startsWith("rref.num_")
            || name.startsWith("autograd.num_autograd_contexts")
            || name.startsWith("autograd.num_pass_parts")
            || name.startsWith("collective.")
            || name.equals("agent.deadlines")
            || name.equals("agent.server_known_callers")
            || name.equals("agent.requests_under_way")
            || name.equals("agent.client_unsettled_calls");
    if (isTable && !name.equals("rref.num_forgotten")) {
      counts.put("table." + name, count);
    }
  }

  private static Map<String, Long> maps(HazelcastInstance hazelcast) {
    Map<String, Long> sizes = new TreeMap<>();
    for (DistributedObject object : hazelcast.getDistributedObjects()) {
      if (object instanceof IMap<?, ?> map && map.getName().startsWith("hazelgrad.")) {
        sizes.put(map.getName(), map.getLocalMapStats().getOwnedEntryCount());
      }
    }
    return sizes;
  }

  static Tensor echo(Tensor tensor) {
    return tensor;
  }

  static int add(int left, int right) {
    return left + right;
  }

  static int fail() {
    throw new IllegalStateException("as the soak asks for");
  }
}
