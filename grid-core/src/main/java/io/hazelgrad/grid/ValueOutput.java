package io.hazelgrad.grid;

import io.hazelgrad.grid.spi.WireOutput;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link TypeCodec} writes a value. For use by the codec's thread, until {@code write}
 * returns.
 */
public interface ValueOutput {
  /** Returns the output for numbers, strings and bytes. */
  WireOutput raw();

  /**
   * Writes any value that can travel, by the grid's rules and codecs.
   *
   * @throws GridException BAD_VALUE or NOT_ALLOWED if it cannot travel; the call fails with it
   */
  void value(@Nullable Object value);
}
