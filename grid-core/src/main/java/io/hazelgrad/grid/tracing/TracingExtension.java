package io.hazelgrad.grid.tracing;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import org.jspecify.annotations.Nullable;

/** Adds tracing to every worker and client if OpenTelemetry's API is on the class path. */
public final class TracingExtension implements GridExtension {
  private static final String API = "io.opentelemetry.api.OpenTelemetry";

  @Override
  public int order() {
    return 4;
  }

  @Override
  public @Nullable Object startClient(GridContext context) {
    return start(context);
  }

  /** Names no type of the API, which may be missing. */
  @Override
  public @Nullable Object start(GridContext context) {
    try {
      var unused = Class.forName(API, false, TracingExtension.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return null;
    }
    return new Tracing(context);
  }
}
