package io.hazelgrad.autograd;

import com.hazelcast.config.Config;
import io.hazelgrad.autograd.jet.PassJob;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;

/** Adds differentiation to every grid; found by the grid itself. */
public final class AutogradExtension implements GridExtension {
  /** For the service loader. */
  public AutogradExtension() {}

  @Override
  public int order() {
    return 20;
  }

  @Override
  public void prepare(Config config) {
    PassJob.prepare(config);
  }

  @Override
  public Object start(GridContext context) {
    return new Autograd(context);
  }
}
