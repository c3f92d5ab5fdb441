package io.hazelgrad.grid.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Answers the calls of one service of an extension. */
@FunctionalInterface
public interface Handler {
  /** Answers a call; what it throws travels to the caller as from any function. */
  @Nullable Object handle(List<@Nullable Object> arguments, Incoming request) throws Exception;

  /** Which threads run a handler. */
  enum Lane {
    /** Short work of the grid's own that must not wait behind user functions. Never blocks. */
    CONTROL,
    /** Work of the grid's own that computes, such as gradients. Not behind user functions. */
    COMPUTE,
    /** Work that runs user code, with one of the worker's permits. */
    USER
  }

  /** Answers the calls of one service later, when something has happened; no thread waits. */
  @FunctionalInterface
  interface Async {
    /**
     * Answers a call with what the stage completes with. It is short itself. The stage is cancelled
     * when the deadline passes or the caller cancels, so it should be the call's own.
     */
    CompletionStage<? extends @Nullable Object> handle(
        List<@Nullable Object> arguments, Incoming request) throws Exception;
  }
}
