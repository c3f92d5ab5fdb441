package io.hazelgrad.grid.tracing;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds tracing to every grid and client if OpenTelemetry's API is there; found by them. */
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

  @Override
  public Object start(GridContext context) {
    return tracing(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return tracing(context);
  }

  /** Must not name a type of the API: it may not be there. */
  private static Object tracing(GridContext context) {
    try {
      var unused = Class.forName(API, false, TracingExtension.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return "no tracing";
    }
    return new Tracing(context);
  }
}
