package io.hazelgrad.grid;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The bytes from which a {@link TypeCodec} reads numbers, strings and tensors. Every method checks
 * its bounds and throws a GridException with BAD_VALUE if the bytes are damaged. {@link
 * BinaryOutput} has a writer for each reader. Threads: not safe.
 */
public interface BinaryInput {
  /** Returns the number of bytes not read yet. */
  int remaining();

  /** Reads one byte, signed. */
  byte int8();

  /** Reads a boolean. */
  boolean bool();

  /** Reads four bytes. */
  int int32();

  /** Reads eight bytes. */
  long int64();

  /** Reads eight bytes. */
  double float64();

  /** Reads a number of one to ten bytes. */
  long varint();

  /** Reads a number of elements; refuses one that is too large for the rest of the bytes. */
  int count(int bytesEach);

  /** Reads a string. Bytes that are not UTF-8 become the replacement character. */
  String utf();

  /** Reads an array of bytes. */
  byte[] bytes();

  /** Reads sixteen bytes. */
  UUID uuid();

  /** Reads a tensor. */
  Tensor tensor();

  /** Returns the error for bytes that no writer wrote. */
  GridException damaged(@Nullable String what);
}
