package io.hazelgrad.grid.fault;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds fault injection to every worker and client. */
public final class FaultExtension implements GridExtension {
  @Override
  public int order() {
    return 3;
  }

  @Override
  public Object start(GridContext context) {
    return new Faults(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new Faults(context);
  }
}
