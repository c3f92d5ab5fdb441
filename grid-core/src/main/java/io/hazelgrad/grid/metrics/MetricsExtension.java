package io.hazelgrad.grid.metrics;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/**
 * Adds the counters to every grid and every client; found by them. Those of a worker are published.
 */
public final class MetricsExtension implements GridExtension {
  /** For the service loader. */
  public MetricsExtension() {}

  @Override
  public int order() {
    return 2;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    Metrics metrics = new Metrics(context);
    MemberMetrics.publish(context, metrics);
    MetricsBean.publish(context, metrics);
    return metrics;
  }

  @Override
  public Object startClient(GridContext context) {
    return new Metrics(context);
  }
}
