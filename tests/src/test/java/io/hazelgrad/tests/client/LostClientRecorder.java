package io.hazelgrad.tests.client;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.GridExtension;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Extension that records the clients that a worker is told to be gone. Ids are those of its own
 * cluster.
 */
public final class LostClientRecorder implements GridExtension {
  /** Records of one worker. */
  private record Heard(List<Long> ids) {}

  /** Constructor for the service loader. */
  public LostClientRecorder() {}

  /** Returns how often a worker was told that a client is gone. */
  static int timesHeard(Grid grid, long client) {
    return (int) grid.service(Heard.class).ids().stream().filter(id -> id == client).count();
  }

  @Override
  public int order() {
    return 100;
  }

  @Override
  public void prepare(Config config, HazelgradConfig worker) {}

  @Override
  public Object start(GridContext context) {
    Heard heard = new Heard(new CopyOnWriteArrayList<>());
    context.onClientGone(client -> heard.ids().add(client.id()));
    return heard;
  }
}
