package io.hazelgrad.autograd;

import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/**
 * Names an autograd context.
 *
 * @param originator the id of the worker that opened it
 * @param sequence the originator's count, from 1; it only grows
 */
public record ContextId(long originator, long sequence) {
  public void write(WireOutput out) {
    out.varint(originator).varint(sequence);
  }

  public static ContextId read(WireInput in) {
    return new ContextId(in.varint(), in.varint());
  }

  /** Returns the numbers only. */
  public String text() {
    return originator + "-" + sequence;
  }

  @Override
  public String toString() {
    return "context " + text();
  }
}
