package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.config.Config;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.OwnMap;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The map of the status of each training job, by its name. Threads: safe. */
record TrainingMaps(GridContext grid) {
  private static final String STATUS = "hazelgrad.trainings";

  static void prepare(Config config) {
    OwnMap.in(config, STATUS);
    SnapshotStore.prepare(config);
  }

  private IMap<String, byte[]> statuses() {
    return grid.hazelcast().getMap(STATUS);
  }

  /** Returns the store of the jobs' snapshots. */
  SnapshotStore snapshots() {
    return new SnapshotStore(grid);
  }

  void put(TrainingStatus status) {
    statuses().set(status.name(), grid.toBytes(status));
  }

  CompletionStage<Void> putAsync(TrainingStatus status) {
    return statuses().setAsync(status.name(), grid.toBytes(status));
  }

  @Nullable TrainingStatus status(String name) {
    byte[] bytes = statuses().get(name);
    return bytes == null ? null : (TrainingStatus) grid.fromBytes(bytes);
  }

  void remove(String name) {
    snapshots().delete(name);
    statuses().delete(name);
  }

  Set<String> names() {
    return statuses().keySet();
  }
}
