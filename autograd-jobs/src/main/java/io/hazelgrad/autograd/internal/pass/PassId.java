package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/**
 * The id of one attempt at one backward pass.
 *
 * @param sequence the initiator's count of passes, from 1
 * @param attempt 0, and one more for each retry after a member was lost
 */
public record PassId(long initiator, long sequence, int attempt) {
  public static PassId read(WireInput in) {
    return new PassId(in.varint(), in.varint(), in.int32());
  }

  public void write(WireOutput out) {
    out.varint(initiator).varint(sequence).int32(attempt);
  }

  /** Returns the error for a step that comes after the end of this attempt. */
  public GridException over() {
    return new GridException(Status.PASS_FAILED, "pass " + this + " is over");
  }

  public PassKey key() {
    return new PassKey(initiator, sequence);
  }

  /** Returns {@code initiator/sequence#attempt}. */
  @Override
  public String toString() {
    return initiator + "/" + sequence + "#" + attempt;
  }
}
