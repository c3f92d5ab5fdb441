package io.hazelgrad.autograd.internal.participant;

import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import io.hazelgrad.grid.spi.LimitedMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of gradients that a member took in passes, for itself and for clients that it relays
 * for. Initiators ask for them after a pass; the oldest are dropped. Threads: safe. All methods are
 * short, because Jet's threads call them.
 */
public final class GradientTraffic {
  /** The service that returns the bytes of the caller's passes by their numbers; -1 if unknown. */
  public static final String BYTES = "autograd.bytes";

  private static final int MAX_PASSES = 10_000;

  private final Map<PassKey, Count> passes = new LimitedMap<>(MAX_PASSES);

  private record Count(int attempt, long bytes) {}

  private final boolean counts;

  /** Adds the service; counts nothing if {@code counts} is false. */
  public GradientTraffic(GridContext grid, boolean counts) {
    this.counts = counts;
    grid.handler(
        BYTES,
        Handler.Lane.CONTROL,
        (arguments, request) -> bytes(request.call().caller().id(), arguments));
  }

  /** Begins to count an attempt; replaces the count of an earlier one. */
  synchronized void begin(PassId pass) {
    if (counts) {
      passes.put(pass.key(), new Count(pass.attempt(), 0));
    }
  }

  synchronized void add(PassId pass, GradientMessage message) {
    passes.computeIfPresent(
        pass.key(),
        (key, before) ->
            before.attempt == pass.attempt()
                ? new Count(before.attempt, before.bytes + message.bytes())
                : before);
  }

  private long[] bytes(long initiator, List<@Nullable Object> arguments) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof long[] numbers)) {
      throw new GridException(
          Status.BAD_VALUE, "expected one array of pass numbers, got " + arguments);
    }
    long[] bytes = new long[numbers.length];
    synchronized (this) {
      for (int i = 0; i < numbers.length; i++) {
        Count taken = passes.get(new PassKey(initiator, numbers[i]));
        bytes[i] = taken == null ? -1 : taken.bytes;
      }
    }
    return bytes;
  }
}
