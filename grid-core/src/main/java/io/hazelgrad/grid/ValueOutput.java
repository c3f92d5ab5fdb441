package io.hazelgrad.grid;

import org.jspecify.annotations.Nullable;

/** The output to which a {@link TypeCodec} writes a value, until {@code write} returns. */
public interface ValueOutput {
  /** Returns the output for numbers, strings and bytes. */
  BinaryOutput raw();

  /** Writes any value that can travel; for others fails the call with BAD_VALUE or NOT_ALLOWED. */
  void value(@Nullable Object value);
}
