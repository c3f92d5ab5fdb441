package io.hazelgrad.grid.internal.device;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds devices to every worker. */
public final class DevicesExtension implements GridExtension {
  @Override
  public int order() {
    return 1;
  }

  @Override
  public Object start(GridContext context) {
    return new WorkerDevices(context);
  }
}
