package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import org.jspecify.annotations.Nullable;

/** The outcome of an attempt at a pass, or of one member's part in it. */
public sealed interface AttemptOutcome {
  /** Every participant did its part. */
  record Done() implements AttemptOutcome {}

  /** A member left. If all workers of the plan are alive, another attempt may succeed. */
  record MemberLost(String reason) implements AttemptOutcome {}

  /** The attempt failed and would fail again. */
  record Failed(GridException error) implements AttemptOutcome {}

  /** Returns the failure of something that may have run. */
  static Failed failed(Status status, String message, @Nullable Throwable cause) {
    return new Failed(new GridException(status, message, true, null, cause));
  }

  /** Writes the outcome; of an error without its cause. */
  default void write(WireOutput out) {
    if (this instanceof Failed failed) {
      GridException error = failed.error();
      out.int8(2).utf(error.status().name());
      out.utf(String.valueOf(error.getMessage())).bool(error.mayHaveRun());
    } else if (this instanceof MemberLost lost) {
      out.int8(1).utf(lost.reason());
    } else {
      out.int8(0);
    }
  }

  static AttemptOutcome read(WireInput in) {
    int kind = in.int8();
    return switch (kind) {
      case 0 -> new Done();
      case 1 -> new MemberLost(in.utf());
      case 2 -> {
        String name = in.utf();
        Status status = Status.byName(name);
        if (status == null) {
          throw in.damaged("status " + name);
        }
        yield new Failed(new GridException(status, in.utf(), in.bool(), null, null));
      }
      default -> throw in.damaged("an outcome of kind " + kind);
    };
  }
}
