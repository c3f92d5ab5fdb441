package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import org.jspecify.annotations.Nullable;

/** Decides, for tests, what shall go wrong with messages that leave. Threads: must be safe. */
@FunctionalInterface
public interface FaultPolicy {
  /** Returns the fault of a message, or null. {@code to} is null if it is not one worker. */
  @Nullable MessageFault disturb(MessageKind kind, @Nullable Worker to, int attempt);
}
