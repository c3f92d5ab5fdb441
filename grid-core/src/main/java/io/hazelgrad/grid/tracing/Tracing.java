package io.hazelgrad.grid.tracing;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.spi.GridContext;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects calls with OpenTelemetry. The current context travels with every call, in the W3C
 * headers (trace context and baggage), and is current where the function runs, so one trace covers
 * all workers. If an OpenTelemetry is configured, each call has a span at its caller (CLIENT) and
 * one at its callee (SERVER); otherwise only the context travels.
 *
 * <p>The global OpenTelemetry is used if it was set, unless {@link #use} sets another one. Calls of
 * the grid's own services have spans only within a trace. Threads: safe.
 */
public final class Tracing {
  private static final Logger LOG = LoggerFactory.getLogger(Tracing.class);
  private static final String SCOPE = "io.hazelgrad";

  private volatile @Nullable Tracer tracer;
  private volatile boolean lookGlobally = true;

  Tracing(GridContext context) {
    context.interceptor(new TracingMessages(this));
  }

  /** Returns the tracing of a grid; throws BAD_CONFIG if OpenTelemetry's API is missing. */
  public static Tracing of(Grid grid) {
    return grid.service(Tracing.class);
  }

  /** Creates spans with this OpenTelemetry from now on; null for no spans. */
  public void use(@Nullable OpenTelemetry telemetry) {
    lookGlobally = false;
    tracer = telemetry == null ? null : telemetry.getTracer(SCOPE);
  }

  /** Returns the tracer that creates spans; null for none. */
  @Nullable Tracer tracer() {
    Tracer known = tracer;
    if (known != null || !lookGlobally) {
      return known;
    }
    try {
      if (GlobalOpenTelemetry.isSet()) {
        known = GlobalOpenTelemetry.get().getTracer(SCOPE);
        tracer = known;
      }
    } catch (NoSuchMethodError e) {
      lookGlobally = false; // An older API would set the global instance when it is asked for it.
      LOG.info(
          "the OpenTelemetry API is too old to look for a global instance; set it with"
              + " Tracing.use(...)");
    }
    return known;
  }
}
