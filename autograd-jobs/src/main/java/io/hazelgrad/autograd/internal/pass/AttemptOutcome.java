package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;

/** How an attempt at a pass ended. */
public sealed interface AttemptOutcome {
  /** Every participant did its part. */
  record Done() implements AttemptOutcome {}

  /**
   * A member that took part left, or the one that coordinated. If the workers of the plan are all
   * alive, the pass can be tried again as another attempt.
   *
   * @param cause what Hazelcast reported
   */
  record MemberLost(Throwable cause) implements AttemptOutcome {}

  /**
   * The attempt failed and would fail again.
   *
   * @param error the participant's own error, or what else went wrong
   */
  record Failed(GridException error) implements AttemptOutcome {}
}
