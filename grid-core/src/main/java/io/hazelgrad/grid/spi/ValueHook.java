package io.hazelgrad.grid.spi;

import org.jspecify.annotations.Nullable;

/**
 * Sees values of its own kinds leave and arrive, wherever they stand inside an argument or a
 * result. Several hooks compose: a value belongs to the first whose {@link #owns} says so.
 */
public interface ValueHook {
  /** Returns the tag of these values on the wire, 100 to 127; both sides know it. */
  int tag();

  /** Returns whether values of this class are this hook's. */
  boolean owns(Class<?> type);

  /** Returns the class whose arrays may travel, too; null, the default, if there is none. */
  default @Nullable Class<?> type() {
    return null;
  }

  /** Writes a value that leaves with a message. */
  void write(Object value, Outgoing message, WireOutput out);

  /** Reads a value that arrives with a message. */
  Object read(Incoming message, WireInput in);
}
