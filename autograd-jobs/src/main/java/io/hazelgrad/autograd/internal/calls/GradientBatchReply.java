package io.hazelgrad.autograd.internal.calls;

import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a host answers to a letter. What failed there, so that the pass would fail again, is no
 * answer but the failure of the call.
 *
 * @param lost that it could not reach another host, or null
 * @param isLast whether its part is done; said only to the coordinator
 * @param messages what the asking host takes in the wave after that of the letter
 */
record GradientBatchReply(
    @Nullable GridException lost, boolean isLast, List<GradientMessage> messages) {
  /** Returns that another host could not be reached. */
  static GradientBatchReply lost(Throwable cause) {
    return new GradientBatchReply(unreached(String.valueOf(cause.getMessage())), false, List.of());
  }

  private static GridException unreached(String why) {
    return new GridException(Status.WORKER_LOST, why, true, null, null);
  }

  List<@Nullable Object> write() {
    WireOutput head = new WireOutput();
    head.bool(lost != null);
    if (lost != null) {
      head.utf(String.valueOf(lost.getMessage()));
    }
    head.bool(isLast);
    return GradientBatch.write(head, messages);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws GridException BAD_VALUE if it is something else
   */
  static GradientBatchReply read(@Nullable Object values) {
    GradientBatch letter = GradientBatch.read(values);
    GridException lost = letter.head().bool() ? unreached(letter.head().utf()) : null;
    return new GradientBatchReply(lost, letter.head().bool(), letter.gradients());
  }

  /** Returns what a letter without an answer means: whether another attempt may go well. */
  static AttemptOutcome outcomeOf(Throwable failure) {
    if (!(failure instanceof GridException known)) {
      return new AttemptOutcome.Failed(
          new GridException(Status.INTERNAL, String.valueOf(failure), true, null, failure));
    }
    boolean isOnTheWay =
        known.remote() == null
            && switch (known.status()) {
              case WORKER_LOST, REJECTED, INTENTIONAL_FAILURE -> true;
              default -> false;
            };
    return isOnTheWay ? new AttemptOutcome.MemberLost(known) : new AttemptOutcome.Failed(known);
  }
}
