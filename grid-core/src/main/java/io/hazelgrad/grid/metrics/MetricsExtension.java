package io.hazelgrad.grid.metrics;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds the counters to every grid and every client; found by them. */
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
    return new Metrics(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new Metrics(context);
  }
}
