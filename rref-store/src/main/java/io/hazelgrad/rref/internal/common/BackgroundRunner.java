package io.hazelgrad.rref.internal.common;

import io.hazelgrad.grid.spi.GridContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /**
   * Submits to a map of Hazelcast, on this thread if it may. Hazelcast refuses that on its own
   * threads of networks and partitions, on which stages of futures may run.
   */
  public static <T extends @Nullable Object> CompletionStage<T> submit(
      Executor background, Supplier<CompletionStage<T>> step) {
    try {
      return step.get();
    } catch (IllegalThreadStateException e) {
      return CompletableFuture.supplyAsync(step, background).thenCompose(Function.identity());
    }
  }
}
