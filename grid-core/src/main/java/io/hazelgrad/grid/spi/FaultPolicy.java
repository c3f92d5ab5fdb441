package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import org.jspecify.annotations.Nullable;

/** Decides, for tests, what shall go wrong with messages that leave. Threads: must be safe. */
@FunctionalInterface
public interface FaultPolicy {
  /**
   * Returns what shall become of a message, null for what becomes of it anyway.
   *
   * @param to who gets it; null if that is not one worker, as for entries of a map
   * @param attempt how often this message was sent before
   */
  @Nullable MessageFault disturb(MessageKind kind, @Nullable Worker to, int attempt);
}
