package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Worker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides, for tests, what shall go wrong with messages that leave. Threads: must be safe. */
@FunctionalInterface
public interface FaultPolicy {
  /** Returns the fault of a message, or null. {@code to} is null if it is not one worker. */
  @Nullable MessageFault disturb(MessageKind kind, @Nullable Worker to, int attempt);

  /** The fault of one message, and how long the message is held back before. */
  record MessageFault(What what, Duration delay) {
    /** The kind of a fault. */
    public enum What {
      /** Sending fails at once with INTENTIONAL_FAILURE; nothing leaves. */
      FAIL,
      /** Nothing but the delay. */
      DELAY,
      /** The message does not leave, and nobody is told. */
      DROP_REQUEST,
      /** The message arrives, its reply does not. */
      DROP_REPLY,
      /** The message is sent twice. */
      DUPLICATE
    }
  }
}
