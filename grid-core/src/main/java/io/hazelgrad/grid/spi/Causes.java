package io.hazelgrad.grid.spi;

import java.util.concurrent.CompletionException;

/** Finds the failure that a future has wrapped. */
public final class Causes {
  private Causes() {}

  /** Returns what is inside a {@link CompletionException}; anything else as it is. */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
