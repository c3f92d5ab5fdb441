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
 * the oldest parts are dropped. Threads: safe. All methods are short, because Jet's threads call
 * them.
 */
public final class PassMeter {
  /**
   * The service that returns the parts in the caller's passes by their numbers, as {@link
   * PassPart#read} reads them.
   */
  public static final String PARTS = "autograd.parts";

  private static final int MAX_PASSES = 10_000;

  /** The most waves of one pass whose times are kept. */
  private static final int MAX_WAVES = 32;

  private final Map<PassKey, Part> passes = new LimitedMap<>(MAX_PASSES);
  private final boolean measures;

  /** The part in one attempt. Guarded by the meter. */
  private static final class Part {
    final int attempt;
    long bytes;

    /** The number of each wave, and the times of its start and end in nanoseconds. */
    long[] times = {};

    Part(int attempt) {
      this.attempt = attempt;
    }
  }

  /** Adds the service; measures nothing if {@code measures} is false. */
  public PassMeter(GridContext grid, boolean measures) {
    this(measures);
    grid.handler(
        PARTS,
        Handler.Lane.CONTROL,
        (arguments, request) -> parts(request.call().caller().id(), arguments));
  }

  PassMeter(boolean measures) {
    this.measures = measures;
  }

  /** Begins to measure an attempt; replaces the part in an earlier one. */
  synchronized void begin(PassId pass) {
    if (measures) {
      passes.put(pass.key(), new Part(pass.attempt()));
    }
  }

  synchronized void took(PassId pass, GradientMessage message) {
    Part part = part(pass);
    if (part != null) {
      part.bytes += message.bytes();
    }
  }

  /** Notes that this member computed in a wave from a {@link System#nanoTime} to another. */
  synchronized void computed(PassId pass, int wave, long start, long end) {
    Part part = part(pass);
    if (part != null && part.times.length < 3 * MAX_WAVES) {
      int used = part.times.length;
      part.times = Arrays.copyOf(part.times, used + 3);
      part.times[used] = wave;
      part.times[used + 1] = start;
      part.times[used + 2] = end;
    }
  }

  private @Nullable Part part(PassId pass) {
    Part part = passes.get(pass.key());
    return part == null || part.attempt != pass.attempt() ? null : part;
  }

  private long[] parts(long initiator, List<@Nullable Object> arguments) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof long[] numbers)) {
      throw new GridException(
          Status.BAD_VALUE, "expected one array of pass numbers, got " + arguments);
    }
    long sinceEpoch = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    return parts(initiator, numbers, System.nanoTime() - sinceEpoch);
  }

  /** Returns the parts in passes of an initiator; {@code epoch} is the time of the year 1970. */
  synchronized long[] parts(long initiator, long[] numbers, long epoch) {
    PassPart.Writer answer = new PassPart.Writer();
    for (long number : numbers) {
      Part part = passes.get(new PassKey(initiator, number));
      if (part == null) {
        answer.unknown();
      } else {
        answer.part(part.bytes, part.times, epoch);
      }
    }
    return answer.toArray();
  }
}
