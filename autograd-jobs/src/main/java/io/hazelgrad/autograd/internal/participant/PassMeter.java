package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.LimitedMap;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures a member's part in passes, for itself and for clients that it relays for: the bytes of
 * gradients that it took, and when it computed in which wave. Initiators ask for it after a pass;
 * the oldest passes are dropped. Threads: safe. All methods are short, because Jet's threads call
 * them.
 */
public final class PassMeter {
  /**
   * The service that returns the measurements of the caller's passes by their numbers, as {@link
   * PassMeasurement#read} reads them.
   */
  public static final String MEASUREMENTS = "autograd.measurements";

  private static final int MAX_PASSES = 10_000;

  /** The most waves of one pass whose times are kept. */
  private static final int MAX_WAVES = 32;

  private final Map<PassKey, Attempt> passes = new LimitedMap<>(MAX_PASSES);
  private final boolean measures;

  /** The bytes and times of one attempt at a pass. Guarded by the meter. */
  private static final class Attempt {
    final int attempt;
    long bytes;

    /** The number of each wave, and the times of its start and end in nanoseconds. */
    long[] times = {};

    Attempt(int attempt) {
      this.attempt = attempt;
    }
  }

  /** Adds the service; measures nothing if {@code measures} is false. */
  public PassMeter(GridContext grid, boolean measures) {
    this(measures);
    grid.handler(
        MEASUREMENTS,
        Handler.Lane.CONTROL,
        (arguments, request) -> measurements(request.call().caller().id(), arguments));
  }

  PassMeter(boolean measures) {
    this.measures = measures;
  }

  /** Begins to measure an attempt; replaces what was measured of an earlier one. */
  synchronized void begin(PassId pass) {
    if (measures) {
      passes.put(pass.key(), new Attempt(pass.attempt()));
    }
  }

  synchronized void took(PassId pass, GradientMessage message) {
    Attempt measured = attempt(pass);
    if (measured != null) {
      measured.bytes += message.bytes();
    }
  }

  /** Notes that this member computed in a wave from a {@link System#nanoTime} to another. */
  synchronized void computed(PassId pass, int wave, long start, long end) {
    Attempt measured = attempt(pass);
    if (measured != null && measured.times.length < 3 * MAX_WAVES) {
      int used = measured.times.length;
      measured.times = Arrays.copyOf(measured.times, used + 3);
      measured.times[used] = wave;
      measured.times[used + 1] = start;
      measured.times[used + 2] = end;
    }
  }

  private @Nullable Attempt attempt(PassId pass) {
    Attempt measured = passes.get(pass.key());
    return measured == null || measured.attempt != pass.attempt() ? null : measured;
  }

  private long[] measurements(long initiator, List<@Nullable Object> arguments) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof long[] numbers)) {
      throw new GridException(
          Status.BAD_VALUE, "expected one array of pass numbers, got " + arguments);
    }
    long sinceEpoch = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    return measurements(initiator, numbers, System.nanoTime() - sinceEpoch);
  }

  /** Returns the measurements of passes of an initiator; see {@link PassMeasurement.Writer#add}. */
  synchronized long[] measurements(long initiator, long[] numbers, long epoch) {
    PassMeasurement.Writer answer = new PassMeasurement.Writer();
    for (long number : numbers) {
      Attempt measured = passes.get(new PassKey(initiator, number));
      if (measured == null) {
        answer.unknown();
      } else {
        answer.add(measured.bytes, measured.times, epoch);
      }
    }
    return answer.toArray();
  }
}
