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
 * The bytes and times that one or more members measured in their parts of a pass.
 *
 * @param bytes the bytes of the gradients that they took; null if one of them does not know
 * @param waves the times at which they computed
 */
public record PassMeasurement(@Nullable Long bytes, List<WaveTime> waves) {
  /** The measurement of nobody. */
  public static final PassMeasurement NONE = new PassMeasurement(0L, List.of());

  /** The measurement of a member that does not know the pass. */
  public static final PassMeasurement UNKNOWN = new PassMeasurement(null, List.of());

  private static final long NO_BYTES = -1;

  /** Copies the waves. */
  public PassMeasurement {
    waves = List.copyOf(waves);
  }

  /** Returns the measurement of the members of both. */
  public PassMeasurement plus(PassMeasurement other) {
    Long sum = bytes == null || other.bytes == null ? null : Long.valueOf(bytes + other.bytes);
    return new PassMeasurement(sum, Stream.concat(waves.stream(), other.waves.stream()).toList());
  }

  /**
   * Writes measurements as numbers: for each one its bytes and the number of its waves, and for
   * each wave its number, the nanoseconds since 1970 at its start by the member's clock, and its
   * duration.
   */
  static final class Writer {
    private final LongStream.Builder numbers = LongStream.builder();

    void unknown() {
      numbers.add(NO_BYTES).add(0);
    }

    /**
     * Adds a measurement.
     *
     * @param times for each wave its number, start and end
     * @param epoch the beginning of 1970 by the clock of the starts and ends
     */
    void add(long bytes, long[] times, long epoch) {
      numbers.add(bytes).add(times.length / 3);
      for (int i = 0; i < times.length; i += 3) {
        numbers.add(times[i]).add(times[i + 1] - epoch).add(times[i + 2] - times[i + 1]);
      }
    }

    long[] toArray() {
      return numbers.build().toArray();
    }
  }

  /** Reads the measurements of a worker from what its {@link Writer} has written. */
  public static List<PassMeasurement> read(long[] answer, String worker) {
    List<PassMeasurement> measurements = new ArrayList<>();
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
      measurements.add(new PassMeasurement(bytes, waves));
    }
    return measurements;
  }
}
