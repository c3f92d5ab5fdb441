package io.hazelgrad.autograd.flow;

import io.hazelgrad.autograd.jet.GradientMessage;
import io.hazelgrad.autograd.jet.Outcome;
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
record Answer(@Nullable GridException lost, boolean isLast, List<GradientMessage> messages) {
  /** Returns that another host could not be reached. */
  static Answer lost(Throwable cause) {
    return new Answer(unreached(String.valueOf(cause.getMessage())), false, List.of());
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
    return Letter.write(head, messages);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws GridException BAD_VALUE if it is something else
   */
  static Answer read(@Nullable Object values) {
    Letter letter = Letter.read(values);
    GridException lost = letter.head().bool() ? unreached(letter.head().utf()) : null;
    return new Answer(lost, letter.head().bool(), letter.gradients());
  }

  /** Returns what a letter without an answer means: whether another attempt may go well. */
  static Outcome outcomeOf(Throwable failure) {
    if (!(failure instanceof GridException known)) {
      return new Outcome.Failed(
          new GridException(Status.INTERNAL, String.valueOf(failure), true, null, failure));
    }
    boolean isOnTheWay =
        known.remote() == null
            && switch (known.status()) {
              case WORKER_LOST, REJECTED, INTENTIONAL_FAILURE -> true;
              default -> false;
            };
    return isOnTheWay ? new Outcome.MemberLost(known) : new Outcome.Failed(known);
  }
}
