package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The conditions under which the waits of one round end without success: its deadline, and the end
 * of the collective.
 */
final class RoundControl {
  /** Returns the text for the wait, such as "round 3 (barrier) of collective \"all\"". */
  private final Supplier<String> round;

  private final long deadline;
  private final Supplier<@Nullable GridException> ended;

  /**
   * @param deadline when the round times out, as {@link System#nanoTime}
   * @param ended returns why the collective has ended, or null
   */
  RoundControl(Supplier<String> round, long deadline, Supplier<@Nullable GridException> ended) {
    this.round = round;
    this.deadline = deadline;
    this.ended = ended;
  }

  /** Throws if the collective has ended or the deadline has passed. */
  void check(Supplier<List<Worker>> missing) {
    GridException why = ended.get();
    if (why != null) {
      throw why;
    }
    if (deadline - System.nanoTime() < 0) {
      throw timeout(missing.get());
    }
  }

  private GridException timeout(List<Worker> missing) {
    String names = missing.stream().map(Worker::name).collect(Collectors.joining(", "));
    return new GridException(
        Status.TIMEOUT,
        round.get() + " timed out; it waited for " + (names.isEmpty() ? "none" : names));
  }

  /** Throws BAD_ARGUMENT if another member called another method than this one. */
  void requireSame(RoundSignature own, Worker other, long signature) {
    if (signature != own.encoded()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "%s does not fit what worker %s called: %s"
              .formatted(round.get(), other.name(), RoundSignature.describe(signature)));
    }
  }
}
