package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import org.jspecify.annotations.Nullable;

/** Decides, for tests, what shall go wrong with messages that leave. Threads: must be safe. */
@FunctionalInterface
public interface FaultPolicy {
  /**
   * Returns the fault of a message, or null.
   *
   * @param to the receiver; null if that is not one worker, as for entries of a map
   * @param attempt the number of earlier attempts to send this message
   */
  @Nullable MessageFault disturb(MessageKind kind, @Nullable Worker to, int attempt);
}
