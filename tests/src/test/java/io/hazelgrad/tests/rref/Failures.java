package io.hazelgrad.tests.rref;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions about failures. */
final class Failures {
  private Failures() {}

  static GridException assertFails(ThrowingCallable call, Status status, String... parts) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(GridException.class);
    for (String part : parts) {
      assertThat(thrown).hasMessageContaining(part);
    }
    assertThat(((GridException) thrown).status()).as(thrown.toString()).isEqualTo(status);
    return (GridException) thrown;
  }

  static GridException assertFails(CompletableFuture<?> future, Status status, String... parts) {
    return assertFails(() -> join(future), status, parts);
  }

  /** Waits for a future and throws its failure. */
  static void join(CompletableFuture<?> future) throws Throwable {
    try {
      var unused = future.get(Workers.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException e) {
      throw e.getCause();
    }
  }
}
