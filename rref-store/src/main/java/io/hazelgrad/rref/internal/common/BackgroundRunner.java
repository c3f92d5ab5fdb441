package io.hazelgrad.rref.internal.common;

import io.hazelgrad.grid.spi.GridContext;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs work that may call user code on the grid's background threads. A grid that is closing takes
 * no more work; then the work runs on the calling thread, so that it runs in any case.
 */
public record BackgroundRunner(GridContext context) implements Executor {
  @Override
  public void execute(Runnable work) {
    try {
      context.background().execute(work);
    } catch (RejectedExecutionException e) {
      work.run();
    }
  }
}
