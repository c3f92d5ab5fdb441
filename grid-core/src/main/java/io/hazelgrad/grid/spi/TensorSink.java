package io.hazelgrad.grid.spi;

import io.hazelgrad.grid.Storage;

/** Takes tensors' elements that leave beside a message; attached to it before it is written. */
public interface TensorSink {
  /** Takes elements and writes where they are found; returns false if they stay in the message. */
  boolean put(Storage elements, WireOutput out);
}
