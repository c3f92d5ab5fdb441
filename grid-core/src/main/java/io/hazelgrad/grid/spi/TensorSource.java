package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Storage;

/** Finds tensors' elements that came beside a message; attached to it before it is read. */
public interface TensorSource {
  /** Reads what the sender's {@link TensorSink} wrote, and returns the elements. */
  Storage get(DType dtype, int length, WireInput in);
}
