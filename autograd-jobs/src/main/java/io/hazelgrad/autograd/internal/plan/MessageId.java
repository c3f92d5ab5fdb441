package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/** The id of one message of an autograd context: its sender, and the sender's count of messages. */
public record MessageId(long worker, long sequence) {
  public static MessageId read(WireInput in) {
    return new MessageId(in.varint(), in.varint());
  }

  public void write(WireOutput out) {
    out.varint(worker).varint(sequence);
  }

  /** Returns {@code worker/sequence}. */
  @Override
  public String toString() {
    return worker + "/" + sequence;
  }
}
