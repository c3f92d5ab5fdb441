package io.hazelgrad.autograd.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import io.hazelgrad.autograd.internal.history.HistoryMaps;
import io.hazelgrad.autograd.internal.jet.JetPassScheduler;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import io.hazelgrad.grid.spi.OwnMap;
import java.util.List;

/** Adds automatic differentiation to every grid on whose class path it is. */
public final class AutogradExtension implements GridExtension {
  @Override
  public int order() {
    return 20;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {
    JetPassScheduler.prepare(config);
    // After a split, clients of the smaller side choose new relays.
    OwnMap.in(config, ClientRelay.MAP);
    HistoryMaps.prepare(config);
  }

  @Override
  public List<String> sqlMappings() {
    return HistoryMaps.sqlMappings();
  }

  @Override
  public void prepareClient(ClientConfig config) {
    JetPassScheduler.prepareClient(config);
  }

  @Override
  public Object start(GridContext context) {
    return new GridAutograd(context);
  }

  @Override
  public Object startClient(GridContext context) {
    return new GridAutograd(context);
  }
}
