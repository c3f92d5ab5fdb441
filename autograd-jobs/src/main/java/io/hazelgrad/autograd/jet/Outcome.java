package io.hazelgrad.autograd.jet;

import io.hazelgrad.grid.GridException;

/** How an attempt at a pass ended. */
public sealed interface Outcome {
  /** Every participant did its part. */
  record Done() implements Outcome {}

  /**
   * A member that took part left, or the one that coordinated. If the workers of the plan are all
   * alive, the pass can be tried again as another attempt.
   *
   * @param cause what Hazelcast reported
   */
  record MemberLost(Throwable cause) implements Outcome {}

  /**
   * The attempt failed and would fail again.
   *
   * @param error the participant's own error, or what else went wrong
   */
  record Failed(GridException error) implements Outcome {}
}
