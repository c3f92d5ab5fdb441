package io.hazelgrad.grid.internal.collective.vector;

import java.nio.ByteBuffer;

/** A vector of elements that is written piece by piece. */
@FunctionalInterface
public interface Target {
  /** Puts the raw little-endian elements between position and limit at element {@code from}. */
  void put(int from, ByteBuffer bytes);
}
