package io.hazelgrad.rref.internal.maintenance;

import io.hazelgrad.grid.spi.GridContext;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs on the grid's background threads what may run a user's code, or must happen in any case:
 * while the grid closes and takes nothing any more, on the calling thread.
 */
public final class BackgroundRunner implements Executor {
  private final GridContext context;

  public BackgroundRunner(GridContext context) {
    this.context = context;
  }

  @Override
  public void execute(Runnable work) {
    try {
      context.background().execute(work);
    } catch (RejectedExecutionException e) {
      work.run();
    }
  }
}
