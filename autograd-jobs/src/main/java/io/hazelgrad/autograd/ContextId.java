package io.hazelgrad.autograd;

/**
 * The id of an autograd context.
 *
 * @param originator the id of the worker that opened it
 * @param sequence the originator's count of contexts, from 1
 */
public record ContextId(long originator, long sequence) {
  /** Returns both numbers, such as {@code 17-3}. */
  public String text() {
    return originator + "-" + sequence;
  }

  @Override
  public String toString() {
    return "context " + text();
  }
}
