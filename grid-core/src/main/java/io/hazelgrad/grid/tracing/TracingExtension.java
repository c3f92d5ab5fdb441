package io.hazelgrad.grid.tracing;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds tracing to every grid if OpenTelemetry's API is there; found by the grid itself. */
public final class TracingExtension implements GridExtension {
  private static final String API = "io.opentelemetry.api.OpenTelemetry";

  /** For the service loader. */
  public TracingExtension() {}

  @Override
  public int order() {
    return 4;
  }

  @Override
  public void prepare(Config config) {}

  /** Must not name a type of the API: it may not be there. */
  @Override
  public Object start(GridContext context) {
    try {
      var unused = Class.forName(API, false, TracingExtension.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return "no tracing";
    }
    return new Tracing(context);
  }
}
