package io.hazelgrad.autograd.internal.plan;

/**
 * The id of a backward pass, without the attempt.
 *
 * @param initiator the worker that started the pass
 * @param sequence the initiator's count of passes
 */
public record PassKey(long initiator, long sequence) {
  @Override
  public String toString() {
    return initiator + "/" + sequence;
  }
}
