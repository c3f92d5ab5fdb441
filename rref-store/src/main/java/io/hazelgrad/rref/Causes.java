package io.hazelgrad.rref;

import java.util.concurrent.CompletionException;

/** What really failed, where a future has wrapped it. */
final class Causes {
  private Causes() {}

  static Throwable of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
