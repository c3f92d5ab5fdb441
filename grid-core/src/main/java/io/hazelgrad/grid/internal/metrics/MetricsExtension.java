package io.hazelgrad.grid.internal.metrics;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.internal.member.SqlMappings;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.List;

/** Adds the counters; those of a worker are published as SQL tables if SQL is there. */
public final class MetricsExtension implements GridExtension {
  @Override
  public int order() {
    return 2;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {
    SqlTables.prepare(config);
  }

  @Override
  public List<String> sqlMappings() {
    return SqlTables.mappings();
  }

  @Override
  public Object start(GridContext context) {
    MetricsCollector metrics = new MetricsCollector(context);
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    context.gauge("agent.heap_used_bytes", () -> memory.getHeapMemoryUsage().getUsed());
    context.gauge("agent.heap_max_bytes", () -> memory.getHeapMemoryUsage().getMax());
    if (SqlMappings.isPossible()) {
      context.every(
          SqlTables.PERIOD, () -> SqlTables.write(context.hazelcast(), metrics.snapshot()));
    }
    return metrics;
  }

  @Override
  public Object startClient(GridContext context) {
    return new MetricsCollector(context);
  }
}
