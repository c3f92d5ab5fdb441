package io.hazelgrad.grid.metrics;

import com.hazelcast.internal.metrics.DynamicMetricsProvider;
import com.hazelcast.internal.metrics.MetricDescriptor;
import com.hazelcast.internal.metrics.MetricTarget;
import com.hazelcast.internal.metrics.MetricsCollectionContext;
import com.hazelcast.internal.metrics.MetricsRegistry;
import com.hazelcast.internal.metrics.ProbeUnit;
import com.hazelcast.jet.impl.util.Util;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;

/**
 * Adds the counters to the metrics of the Hazelcast member, where Management Center and Hazelcast's
 * diagnostics find them. The member asks for them when it collects its own, every 5 s unless it is
 * configured otherwise.
 *
 * <p>It is internal API of Hazelcast 5.7: there is no other way to what Management Center reads.
 */
final class MemberMetrics implements DynamicMetricsProvider {
  private static final String PREFIX = "hazelgrad";

  private final Metrics metrics;

  private MemberMetrics(Metrics metrics) {
    this.metrics = metrics;
  }

  /** Publishes the counters until the worker ends. */
  static void publish(GridContext context, Metrics metrics) {
    MetricsRegistry registry = Util.getNodeEngine(context.hazelcast()).getMetricsRegistry();
    MemberMetrics provider = new MemberMetrics(metrics);
    registry.registerDynamicMetricsProvider(provider);
    context.onClose(() -> registry.deregisterDynamicMetricsProvider(provider));
  }

  @Override
  public void provideDynamicMetrics(MetricDescriptor descriptor, MetricsCollectionContext to) {
    MetricsSnapshot now = metrics.snapshot();
    MetricDescriptor own =
        descriptor
            .copy()
            .withPrefix(PREFIX)
            .withDiscriminator("worker", now.worker())
            .withExcludedTarget(MetricTarget.JMX); // MetricsBean is there.
    now.figures()
        .forEach(
            (name, value) ->
                to.collect(
                    own.copy().withMetric(name).withUnit(ProbeUnit.COUNT),
                    (long) value)); // A Long would be an object that has probes.
    for (CallMetrics calls : now.calls()) {
      MetricDescriptor row =
          own.copy().withTag("destination", calls.destination()).withTag("kind", calls.kind());
      collect(row, "calls.", MetricColumn.CALLS, calls, to);
    }
    for (ServedMetrics served : now.served()) {
      collect(
          own.copy().withTag("kind", served.kind()), "served.", MetricColumn.SERVED, served, to);
    }
  }

  private static <T> void collect(
      MetricDescriptor row,
      String prefix,
      List<MetricColumn<T>> columns,
      T counters,
      MetricsCollectionContext to) {
    for (MetricColumn<T> column : columns) {
      to.collect(
          row.copy().withMetric(prefix + column.name()).withUnit(column.unit()),
          column.value().applyAsLong(counters));
    }
  }
}
