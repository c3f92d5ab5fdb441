package io.hazelgrad.tests.client;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes which clients this process's workers are told to have gone. */
public final class GoneClients implements GridExtension {
  private static final List<Long> HEARD = new CopyOnWriteArrayList<>();

  /** For the service loader. */
  public GoneClients() {}

  /** Returns how often it was told so of a client. */
  static int timesHeard(long client) {
    return (int) HEARD.stream().filter(id -> id == client).count();
  }

  @Override
  public int order() {
    return 100;
  }

  @Override
  public void prepare(Config config) {}

  @Override
  public Object start(GridContext context) {
    context.onClientGone(client -> HEARD.add(client.id()));
    return this;
  }
}
