package io.hazelgrad.grid;

import com.hazelcast.core.HazelcastInstance;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A worker of the grid: one for each Hazelcast member. Several members, and so several grids, may
 * run in one JVM. Applications use it and do not implement it. Threads: safe.
 *
 * <pre>{@code
 * try (Grid grid = Grid.join(HazelgradConfig.named("trainer").build())) {
 *   double score = grid.rpc().sync("ranker", Ranker::score, x);
 * }
 * }</pre>
 */
public interface Grid extends GridAccess, AutoCloseable {
  /** The key under which a Hazelcast instance has its grid in its user context. */
  String USER_CONTEXT_KEY = "io.hazelgrad.grid";

  /**
   * Starts a Hazelcast member and makes it a worker. Closing the grid shuts the member down.
   *
   * @throws GridException NAME_TAKEN if a living worker has the name; BAD_CONFIG if the member
   *     cannot start
   */
  static Grid join(HazelgradConfig config) {
    return GridProvider.INSTANCE.join(config, config.hazelcast());
  }

  /**
   * Makes a running member a worker. Its configuration must have been {@link
   * HazelgradConfig#prepare prepared} before it started. Closing the grid leaves the member
   * running.
   *
   * @throws GridException BAD_CONFIG if the member was not prepared or is a worker already;
   *     NAME_TAKEN if another living worker has the name
   */
  static Grid on(HazelcastInstance instance) {
    return GridProvider.INSTANCE.on(instance);
  }

  /** Returns the grid on an instance, or null. */
  static @Nullable Grid running(HazelcastInstance instance) {
    return (Grid) instance.getUserContext().get(USER_CONTEXT_KEY);
  }

  /** Returns the grid whose call this thread runs; throws BAD_ARGUMENT on any other thread. */
  static Grid current() {
    Grid current = GridProvider.INSTANCE.current();
    if (current == null) {
      String thread = Thread.currentThread().getName();
      throw new GridException(
          Status.BAD_ARGUMENT,
          "Grid.current() is for called functions; thread " + thread + " runs none");
    }
    return current;
  }

  /** Returns this worker. After {@link GridListener#rejoined} it is another one. */
  Worker worker();

  /** Adds a listener that hears when this worker is cut off from the others and when it is back. */
  void addListener(GridListener listener);

  /** Removes a listener that {@link #addListener} added. */
  void removeListener(GridListener listener);

  /** Returns whether this worker is cut off now. Its calls then fail with FENCED. */
  boolean isFenced();

  /**
   * Returns whether this worker is cut off and keeps its objects and references. It resumes with
   * them unless it has to join workers that went on without it.
   */
  boolean isSuspended();

  /**
   * Returns how long this worker has been trying to join anew, with nothing left of what it held.
   * Zero while it is in the grid or suspended.
   */
  Duration rejoiningFor();

  /** Returns the number of calls to this worker, including its own, that have not ended here. */
  int activeCalls();

  /** Returns whether this grid has been closed. */
  boolean isClosed();

  /**
   * Leaves the grid: what the modules hold is released, calls without an answer end with CLOSED,
   * and the name is free again. A member that {@link #join} started is shut down. Closing twice
   * does nothing. If the member is shut down first, the grid closes by itself, but what the modules
   * hold is then released only when the others notice.
   *
   * @throws GridException if a module was told to report what was left, as {@code
   *     RRefOptions.withFailOnLeak} does; everything is released before
   */
  @Override
  void close();
}
