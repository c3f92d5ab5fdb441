package io.hazelgrad.grid;

import org.jspecify.annotations.Nullable;

/**
 * The output to which a {@link TypeCodec} writes a value. The codec uses it on its own thread,
 * until {@code write} returns.
 */
public interface ValueOutput {
  /** Returns the output for numbers, strings and bytes. */
  BinaryOutput raw();

  /**
   * Writes any value that can travel, by the grid's rules and codecs.
   *
   * @throws GridException BAD_VALUE or NOT_ALLOWED if it cannot travel; the call fails with it
   */
  void value(@Nullable Object value);
}
