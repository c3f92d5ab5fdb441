package io.hazelgrad.grid.internal.plane;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds the tensor plane to every grid; found by the grid itself. */
public final class PlaneExtension implements GridExtension {
  /** For the service loader. */
  public PlaneExtension() {}

  @Override
  public int order() {
    return 1;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    return TensorPlane.start(context);
  }
}
