package io.hazelgrad.grid.spi;

import java.util.List;
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
    /** Work that may wait for something; it takes a thread, but no permit of the gate. */
    WAITING,
    /** Work that runs user code; it passes the gate. */
    USER
  }
}
