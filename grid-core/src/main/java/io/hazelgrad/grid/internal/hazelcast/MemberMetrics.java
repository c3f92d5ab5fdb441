package io.hazelgrad.grid.internal.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.metrics.DynamicMetricsProvider;
import com.hazelcast.internal.metrics.MetricDescriptor;
import com.hazelcast.internal.metrics.MetricTarget;
import com.hazelcast.internal.metrics.MetricsCollectionContext;
import com.hazelcast.internal.metrics.MetricsRegistry;
import com.hazelcast.internal.metrics.ProbeUnit;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Adds values of ours to the metrics of a Hazelcast member, which Management Center and Hazelcast's
 * diagnostics read. The member collects them with its own metrics, every 5 s by default.
 */
public final class MemberMetrics implements DynamicMetricsProvider {
  /** The unit of a value. */
  public enum Unit {
    COUNT(ProbeUnit.COUNT),
    BYTES(ProbeUnit.BYTES),
    NANOSECONDS(ProbeUnit.NS);

    private final ProbeUnit probe;

    Unit(ProbeUnit probe) {
      this.probe = probe;
    }
  }

  /** Receives the values of one collection. */
  public interface Sink {
    /** Adds a value with its name; the tags distinguish values of the same name. */
    void add(Map<String, String> tags, String name, Unit unit, long value);
  }

  private static final String PREFIX = "hazelgrad";

  private final String worker;
  private final Consumer<Sink> source;

  private MemberMetrics(String worker, Consumer<Sink> source) {
    this.worker = worker;
    this.source = source;
  }

  /**
   * Publishes values, all with the name of a worker.
   *
   * @param source is asked for the current values at each collection
   * @return ends the publication
   */
  public static Runnable publish(HazelcastInstance member, String worker, Consumer<Sink> source) {
    MetricsRegistry registry = HazelcastInternals.nodeEngine(member).getMetricsRegistry();
    MemberMetrics provider = new MemberMetrics(worker, source);
    registry.registerDynamicMetricsProvider(provider);
    return () -> registry.deregisterDynamicMetricsProvider(provider);
  }

  @Override
  public void provideDynamicMetrics(MetricDescriptor descriptor, MetricsCollectionContext to) {
    MetricDescriptor own =
        descriptor
            .copy()
            .withPrefix(PREFIX)
            .withDiscriminator("worker", worker)
            .withExcludedTarget(MetricTarget.JMX); // JMX has a bean of ours with the same values.
    source.accept(
        (tags, name, unit, value) -> {
          MetricDescriptor row = own.copy();
          tags.forEach(row::withTag);
          to.collect(row.withMetric(name).withUnit(unit.probe), value);
        });
  }
}
