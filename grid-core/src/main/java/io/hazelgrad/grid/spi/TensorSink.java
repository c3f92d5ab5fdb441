package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Storage;

/**
 * Takes the elements of tensors that leave with a message beside it. Attached to an {@link
 * Outgoing} message before its values are written.
 */
public interface TensorSink {
  /**
   * Takes the elements of a tensor, and writes where the receiver's {@link TensorSource} finds
   * them; or does nothing and returns false, if they shall stand in the message itself.
   */
  boolean put(Storage elements, WireOutput out);
}
