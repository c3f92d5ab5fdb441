package io.hazelgrad.autograd.internal.jobs;

import com.hazelcast.config.Config;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.OwnMap;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The map of the status of each training job, by its name. Threads: safe. */
record StatusStore(GridContext grid) {
  private static final String MAP = "hazelgrad.trainings";

  static void prepare(Config config) {
    OwnMap.in(config, MAP);
  }

  private IMap<String, byte[]> map() {
    return grid.hazelcast().getMap(MAP);
  }

  void put(TrainingStatus status) {
    map().set(status.name(), grid.toBytes(status));
  }

  CompletionStage<Void> putAsync(TrainingStatus status) {
    return map().setAsync(status.name(), grid.toBytes(status));
  }

  @Nullable TrainingStatus status(String name) {
    byte[] bytes;
    try {
      bytes = map().get(name);
    } catch (OperationTimeoutException e) {
      throw new GridException(
          Status.TIMEOUT,
          "the member that keeps the status of training job %s did not answer".formatted(name),
          e);
    }
    return bytes == null ? null : (TrainingStatus) grid.fromBytes(bytes);
  }

  void delete(String name) {
    map().delete(name);
  }

  Set<String> names() {
    return map().keySet();
  }
}
