package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Storage;

/** Takes tensors' elements that leave beside a message; attached to it before it is written. */
public interface TensorSink {
  /**
   * Takes the elements of a tensor, and writes where the receiver's {@link TensorSource} finds
   * them; or does nothing and returns false, if they shall stand in the message itself.
   */
  boolean put(Storage elements, WireOutput out);
}
