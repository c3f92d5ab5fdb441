package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;

/** Writes and reads the outcome of an attempt, or of a host's part in it. */
final class AttemptResult {
  private static final int DONE = 0;
  private static final int LOST = 1;
  private static final int FAILED = 2;

  private AttemptResult() {}

  static void write(AttemptOutcome outcome, WireOutput out) {
    if (outcome instanceof AttemptOutcome.Failed failed) {
      GridException error = failed.error();
      out.int8(FAILED).utf(error.status().name());
      out.utf(String.valueOf(error.getMessage())).bool(error.mayHaveRun());
    } else if (outcome instanceof AttemptOutcome.MemberLost lost) {
      out.int8(LOST).utf(String.valueOf(lost.cause().getMessage()));
    } else {
      out.int8(DONE);
    }
  }

  static AttemptOutcome read(WireInput in) {
    int kind = in.int8();
    return switch (kind) {
      case DONE -> new AttemptOutcome.Done();
      case LOST ->
          new AttemptOutcome.MemberLost(
              new GridException(Status.WORKER_LOST, in.utf(), true, null, null));
      case FAILED -> new AttemptOutcome.Failed(readError(in));
      default -> throw in.damaged("an outcome of kind " + kind);
    };
  }

  private static GridException readError(WireInput in) {
    String name = in.utf();
    Status status = Status.byName(name);
    if (status == null) {
      throw in.damaged("status " + name);
    }
    return new GridException(status, in.utf(), in.bool(), null, null);
  }
}
