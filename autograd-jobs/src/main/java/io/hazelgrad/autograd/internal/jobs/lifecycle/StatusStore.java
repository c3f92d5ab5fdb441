package io.hazelgrad.autograd.internal.jobs.lifecycle;

import com.hazelcast.config.Config;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.jobs.TrainingStatus;
import io.hazelgrad.autograd.jobs.TrainingStatus.Phase;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.OwnMap;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The map of the status of each training job, by its name. Threads: safe. */
public record StatusStore(GridContext grid) {
  private static final String MAP = "hazelgrad.trainings";
  private static final Set<Phase> LASTING =
      EnumSet.of(Phase.SUSPENDED, Phase.COMPLETED, Phase.FAILED);

  /** Adds the map to the configuration of a member. */
  public static void prepare(Config config) {
    OwnMap.in(config, MAP);
  }

  private IMap<String, byte[]> map() {
    return grid.hazelcast().getMap(MAP);
  }

  /** Writes a status in the place of the last one, and waits. */
  public void put(TrainingStatus status) {
    map().set(status.name(), grid.toBytes(status));
  }

  /** Writes a status in the place of the last one. */
  public CompletionStage<Void> putAsync(TrainingStatus status) {
    return map().setAsync(status.name(), grid.toBytes(status));
  }

  /**
   * Returns the status of a training, null if there is none; throws TIMEOUT if it cannot be read.
   */
  public @Nullable TrainingStatus status(String name) {
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

  /** Notes that somebody has suspended a training, unless it is over: it goes on when asked to. */
  public void suspended(String name) {
    TrainingStatus status = status(name);
    if (status != null && !LASTING.contains(status.phase())) {
      put(status.in(Phase.SUSPENDED, ""));
    }
  }

  /** Notes that a suspended training goes on. */
  public void resumed(String name) {
    TrainingStatus status = status(name);
    if (status != null && status.phase() == Phase.SUSPENDED) {
      put(status.in(Phase.STARTING, ""));
    }
  }

  /** Removes the status of a training. */
  public void delete(String name) {
    map().delete(name);
  }

  /** Returns the names of all trainings that have a status. */
  public Set<String> names() {
    return map().keySet();
  }
}
