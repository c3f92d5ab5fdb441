package io.hazelgrad.autograd.internal.pass;

/** Names a backward pass, whatever its attempt. */
public record PassKey(long initiator, long sequence) {
  public static PassKey of(PassId id) {
    return new PassKey(id.initiator(), id.sequence());
  }

  @Override
  public String toString() {
    return initiator + "/" + sequence;
  }
}
