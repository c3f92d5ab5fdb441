package io.hazelgrad.grid;

import java.util.UUID;

/**
 * The bytes to which a {@link TypeCodec} writes numbers, strings and tensors. Numbers of fixed
 * width are little-endian. {@link BinaryInput} has a reader for each writer. Threads: not safe.
 */
public interface BinaryOutput {
  /** Writes one byte. */
  BinaryOutput int8(int value);

  /** Writes a boolean as one byte. */
  BinaryOutput bool(boolean value);

  /** Writes four bytes. */
  BinaryOutput int32(int value);

  /** Writes eight bytes. */
  BinaryOutput int64(long value);

  /** Writes eight bytes. */
  BinaryOutput float64(double value);

  /** Writes a number in one to ten bytes. Small numbers that are not negative take the fewest. */
  BinaryOutput varint(long value);

  /** Writes a string as its length in bytes and UTF-8. */
  BinaryOutput utf(String value);

  /** Writes an array of bytes with its length. */
  BinaryOutput bytes(byte[] value);

  /** Writes sixteen bytes. */
  BinaryOutput uuid(UUID value);

  /** Writes a tensor. */
  BinaryOutput tensor(Tensor value);
}
