package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.config.Config;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.OwnMap;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The maps of the status and of the result of each training job, by its name. Threads: safe. */
record TrainingMaps(GridContext grid) {
  private static final String STATUS = "hazelgrad.trainings";
  private static final String RESULTS = "hazelgrad.training-results";

  static void prepare(Config config) {
    OwnMap.in(config, STATUS);
    OwnMap.in(config, RESULTS);
  }

  private IMap<String, byte[]> statuses() {
    return grid.hazelcast().getMap(STATUS);
  }

  private IMap<String, byte[]> results() {
    return grid.hazelcast().getMap(RESULTS);
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

  void put(String name, TrainingState last) {
    results().set(name, grid.toBytes(last));
  }

  /** Returns the last state of a job that has made all steps, or null. */
  @Nullable TrainingState last(String name) {
    byte[] bytes = results().get(name);
    return bytes == null ? null : (TrainingState) grid.fromBytes(bytes);
  }

  void remove(String name) {
    results().delete(name);
    statuses().delete(name);
  }

  Set<String> names() {
    return statuses().keySet();
  }
}
