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
 * Lets OpenTelemetry see calls. The current context travels with every call, by the headers of the
 * W3C (trace context and baggage), and is current where the function runs; so one trace goes over
 * all workers. Where an OpenTelemetry is configured, each call is a span at its caller (CLIENT) and
 * one at its callee (SERVER); else only the context travels.
 *
 * <p>The global OpenTelemetry is used if it was set, unless {@link #use} says otherwise. Calls of
 * the grid's own services are spans only within a trace.
 *
 * <p>Threads: safe.
 */
public final class Tracing {
  private static final Logger LOG = LoggerFactory.getLogger(Tracing.class);
  private static final String SCOPE = "io.hazelgrad";

  private volatile @Nullable Tracer tracer;
  private volatile boolean lookGlobally = true;

  Tracing(GridContext context) {
    context.interceptor(new TracingMessages(this));
  }

  /**
   * Returns the tracing of a grid.
   *
   * @throws io.hazelgrad.grid.GridException BAD_CONFIG if OpenTelemetry's API is not there
   */
  public static Tracing of(Grid grid) {
    return grid.service(Tracing.class);
  }

  /** Makes spans with this OpenTelemetry from now on; null for none. */
  public void use(@Nullable OpenTelemetry telemetry) {
    lookGlobally = false;
    tracer = telemetry == null ? null : telemetry.getTracer(SCOPE);
  }

  /** Returns what makes spans, null for nothing. */
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
    } catch (NoSuchMethodError e) { // Asking an older API would set it.
      lookGlobally = false;
      LOG.info("this OpenTelemetry API is too old to look for a global one; use Tracing.use(...)");
    }
    return known;
  }
}
