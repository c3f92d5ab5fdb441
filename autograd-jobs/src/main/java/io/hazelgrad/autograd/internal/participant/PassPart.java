package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.PassInfo.WaveTime;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of one or more members in a pass, as they measured it.
 *
 * @param bytes the bytes of the gradients that they took; null if one of them does not know
 * @param waves the times at which they computed
 */
public record PassPart(@Nullable Long bytes, List<WaveTime> waves) {
  /** The part of nobody. */
  public static final PassPart NONE = new PassPart(0L, List.of());

  /** The part of a member that does not know. */
  public static final PassPart UNKNOWN = new PassPart(null, List.of());

  private static final long NO_BYTES = -1;

  /** Copies the waves. */
  public PassPart {
    waves = List.copyOf(waves);
  }

  /** Returns the part of the members of both. */
  public PassPart plus(PassPart other) {
    Long sum = bytes == null || other.bytes == null ? null : Long.valueOf(bytes + other.bytes);
    return new PassPart(sum, Stream.concat(waves.stream(), other.waves.stream()).toList());
  }

  /**
   * Writes parts as numbers: for each one its bytes and the number of its waves, and for each wave
   * its number, the nanoseconds since 1970 at its start by the member's clock, and its duration.
   */
  static final class Writer {
    private final LongStream.Builder numbers = LongStream.builder();

    void unknown() {
      numbers.add(NO_BYTES).add(0);
    }

    /**
     * Adds a part whose waves are given as triples of number, start and end.
     *
     * @param epoch the time of the year 1970 by the clock of the starts and ends
     */
    void part(long bytes, long[] times, long epoch) {
      numbers.add(bytes).add(times.length / 3);
      for (int i = 0; i < times.length; i += 3) {
        numbers.add(times[i]).add(times[i + 1] - epoch).add(times[i + 2] - times[i + 1]);
      }
    }

    long[] toArray() {
      return numbers.build().toArray();
    }
  }

  /** Reads the parts of a worker from what its {@link Writer} has written. */
  public static List<PassPart> read(long[] answer, String worker) {
    List<PassPart> parts = new ArrayList<>();
    int at = 0;
    while (at < answer.length) {
      int left = answer.length - at - 2;
      if (left < 0 || answer[at + 1] < 0 || answer[at + 1] > left / 3) {
        throw new GridException(
            Status.BAD_VALUE, worker + " sent parts of passes that end in the middle");
      }
      Long bytes = answer[at] == NO_BYTES ? null : Long.valueOf(answer[at]);
      int end = at + 2 + 3 * (int) answer[at + 1];
      List<WaveTime> waves = new ArrayList<>();
      for (at += 2; at < end; at += 3) {
        Instant started = Instant.EPOCH.plusNanos(answer[at + 1]);
        waves.add(new WaveTime(worker, (int) answer[at], started, answer[at + 2] / 1e6));
      }
      parts.add(new PassPart(bytes, waves));
    }
    return parts;
  }
}
