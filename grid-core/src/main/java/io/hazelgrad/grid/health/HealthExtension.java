package io.hazelgrad.grid.health;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridListener;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the health endpoint of workers that are configured to have one. */
public final class HealthExtension implements GridExtension {
  private static final String USER_CONTEXT_KEY = "io.hazelgrad.health";

  /** Starts last, so that the endpoint never reports a worker that is not complete. */
  @Override
  public int order() {
    return 1000;
  }

  /** Returns the endpoint of the previous incarnation, if there was one. */
  @Override
  public @Nullable Object start(GridContext context) {
    HealthOptions options = context.config().options(HealthOptions.off());
    if (!options.enabled()) {
      return null;
    }
    Map<String, Object> kept = context.hazelcast().getUserContext();
    if (kept.get(USER_CONTEXT_KEY) instanceof HealthEndpoint open) {
      return open;
    }
    Grid grid = context.grid();
    HealthEndpoint endpoint = new HealthEndpoint(grid, context.self().name(), options);
    kept.put(USER_CONTEXT_KEY, endpoint);
    grid.addListener(
        new GridListener() {
          @Override
          public void closed() {
            kept.remove(USER_CONTEXT_KEY, endpoint);
            endpoint.close();
          }
        });
    return endpoint;
  }
}
