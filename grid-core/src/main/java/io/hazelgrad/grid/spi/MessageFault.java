package io.hazelgrad.grid.spi;

import java.time.Duration;

/** The fault of one message, and how long the message is held back before. */
public record MessageFault(What what, Duration delay) {
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
