package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;

/** The outcome of an attempt at a pass. */
public sealed interface AttemptOutcome {
  /** Every participant did its part. */
  record Done() implements AttemptOutcome {}

  /**
   * A participating or coordinating member left. If all workers of the plan are alive, another
   * attempt may succeed.
   *
   * @param cause the error that Hazelcast reported
   */
  record MemberLost(Throwable cause) implements AttemptOutcome {}

  /**
   * The attempt failed and would fail again.
   *
   * @param error the participant's error, or another cause
   */
  record Failed(GridException error) implements AttemptOutcome {}
}
