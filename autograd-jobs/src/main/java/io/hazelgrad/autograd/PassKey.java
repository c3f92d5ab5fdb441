package io.hazelgrad.autograd;

import io.hazelgrad.autograd.jet.PassId;

/** Names a backward pass, whatever its attempt. */
record PassKey(long initiator, long sequence) {
  static PassKey of(PassId id) {
    return new PassKey(id.initiator(), id.sequence());
  }

  @Override
  public String toString() {
    return initiator + "/" + sequence;
  }
}
