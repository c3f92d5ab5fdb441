package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Calls services that extensions add to workers. */
@FunctionalInterface
public interface ServiceCaller {
  /** Calls a service of another worker, or of this one; it passes the interceptors as any call. */
  <R> CompletableFuture<R> call(
      Worker callee, String service, List<@Nullable Object> arguments, Duration timeout);

  /** Does the same; a call that cannot be made, as to a worker that has left, fails the future. */
  default <R> CompletableFuture<R> tryCall(
      Worker callee, String service, List<@Nullable Object> arguments, Duration timeout) {
    try {
      return call(callee, service, arguments, timeout);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
