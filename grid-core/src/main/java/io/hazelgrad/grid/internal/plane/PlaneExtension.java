package io.hazelgrad.grid.internal.plane;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds the tensor plane to every worker. */
public final class PlaneExtension implements GridExtension {
  @Override
  public int order() {
    return 1;
  }

  @Override
  public Object start(GridContext context) {
    return new TensorRouter(context);
  }
}
