package io.hazelgrad.grid.internal.collective;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.waits.Meeting;
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

  private final long begun = System.nanoTime();
  private final long deadline;
  private final Supplier<@Nullable GridException> ended;
  private long waitedNanos;

  /**
   * @param timeout when the round times out, in nanoseconds from now
   * @param ended returns why the collective has ended, or null
   */
  RoundControl(Supplier<String> round, long timeout, Supplier<@Nullable GridException> ended) {
    this.round = round;
    this.deadline = begun + timeout;
    this.ended = ended;
  }

  /** Notes that the round could do nothing since then, as another member was behind. */
  void waitedSince(long nanoTime) {
    waitedNanos += System.nanoTime() - nanoTime;
  }

  long waitedNanos() {
    return waitedNanos;
  }

  /** Returns this member's place in the meeting that the round belongs to. */
  Meeting meeting(String id, List<Worker> members, long made, long ended, long thread) {
    return Meeting.of(id, round.get(), members, made, ended, begun, thread);
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
