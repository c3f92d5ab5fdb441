package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds collectives to every worker. */
public final class CollectivesExtension implements GridExtension {
  @Override
  public int order() {
    return 2;
  }

  @Override
  public Object start(GridContext context) {
    return new CollectiveService(context);
  }
}
