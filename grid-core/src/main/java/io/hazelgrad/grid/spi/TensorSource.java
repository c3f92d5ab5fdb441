package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;

/**
 * Finds the elements of tensors that came beside a message. Attached to an {@link Incoming} message
 * before its values are read.
 */
public interface TensorSource {
  /** Reads what the sender's {@link TensorSink} wrote, and returns the elements. */
  Storage get(DType dtype, int length, WireInput in);
}
