package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.internal.hazelcast.MemberMetrics;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds the counters; those of a worker are published by its Hazelcast member and by JMX. */
public final class MetricsExtension implements GridExtension {
  @Override
  public int order() {
    return 2;
  }

  @Override
  public Object start(GridContext context) {
    MetricsCollector metrics = new MetricsCollector(context);
    context.onClose(
        MemberMetrics.publish(
            context.hazelcast(),
            context.self().name(),
            sink -> MetricColumn.collect(metrics.snapshot(), sink)));
    MetricsBean.publish(context, metrics);
    return metrics;
  }

  @Override
  public Object startClient(GridContext context) {
    return new MetricsCollector(context);
  }
}
