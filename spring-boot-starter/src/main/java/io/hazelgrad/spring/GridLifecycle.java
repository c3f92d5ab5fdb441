package io.hazelgrad.spring;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.group.Shutdown;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/**
 * Leaves the grid when the application ends: after the web server has stopped, so that its last
 * requests can call others, and before any bean is destroyed, so that calls under way find the
 * beans that they use. Threads: safe.
 */
final class GridLifecycle implements SmartLifecycle {
  /** Below both phases of Spring Boot's web server; a context stops from the highest phase down. */
  private static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 3 * 1024;

  private final Grid grid;
  private final Duration drain;
  private volatile boolean running;

  GridLifecycle(Grid grid, Duration drain) {
    this.grid = grid;
    this.drain = drain;
  }

  @Override
  public void start() {
    if (grid.isClosed()) {
      throw new IllegalStateException(
          "the worker has left the grid, and a context that was stopped cannot bring it back; make a"
              + " new context");
    }
    running = true;
  }

  @Override
  public void stop() {
    var unused = Shutdown.of(grid).alone(drain);
    running = false;
  }

  @Override
  public void stop(Runnable callback) {
    var unused =
        Shutdown.of(grid)
            .aloneAsync(drain)
            .whenComplete(
                (report, failure) -> {
                  running = false;
                  callback.run();
                });
  }

  @Override
  public boolean isRunning() {
    return running && !grid.isClosed();
  }

  /** Returns false: Spring's tests pause contexts that they keep, and a worker cannot pause. */
  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
