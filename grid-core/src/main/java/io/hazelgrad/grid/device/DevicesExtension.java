package io.hazelgrad.grid.device;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds devices to every grid; found by the grid itself. */
public final class DevicesExtension implements GridExtension {
  /** For the service loader. */
  public DevicesExtension() {}

  @Override
  public int order() {
    return 1;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    return new Devices(context);
  }
}
