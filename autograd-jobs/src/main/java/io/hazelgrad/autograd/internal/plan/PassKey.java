package io.hazelgrad.autograd.internal.plan;

/** The id of a backward pass: its initiator, and the initiator's count of passes. */
public record PassKey(long initiator, long sequence) {
  @Override
  public String toString() {
    return initiator + "/" + sequence;
  }
}
