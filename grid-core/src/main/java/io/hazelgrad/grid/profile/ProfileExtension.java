package io.hazelgrad.grid.profile;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds the profiler to every worker and client. */
public final class ProfileExtension implements GridExtension {
  @Override
  public int order() {
    return 1; // The profiler also sees what other modules do around a call.
  }

  @Override
  public Object start(GridContext context) {
    return new Profiler(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new Profiler(context);
  }
}
