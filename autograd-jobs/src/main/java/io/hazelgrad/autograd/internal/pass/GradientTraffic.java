package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Handler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of gradients that a member took in passes, its own and those of the clients that it
 * relays for. The initiators ask for them afterwards; the oldest are forgotten.
 *
 * <p>Threads: safe; asked by Jet's threads, so nothing takes long.
 */
public final class GradientTraffic {
  /** Asks for the bytes of passes of the caller's, by their numbers; -1 for one that is unknown. */
  public static final String BYTES = "autograd.bytes";

  private static final int MOST = 10_000;

  private final Map<PassKey, Count> passes =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PassKey, Count> eldest) {
          return size() > MOST;
        }
      };

  private record Count(int attempt, long bytes) {}

  private final boolean counts;

  /**
   * Makes an empty one.
   *
   * @param counts false if nothing is to be counted here
   */
  public GradientTraffic(GridContext grid, boolean counts) {
    this.counts = counts;
    grid.handler(
        BYTES,
        Handler.Lane.CONTROL,
        (arguments, request) -> bytes(request.call().caller().id(), arguments));
  }

  /** An attempt begins; what an earlier one took counts no more. */
  synchronized void begin(PassId pass) {
    if (counts) {
      passes.put(PassKey.of(pass), new Count(pass.attempt(), 0));
    }
  }

  /** A message of an attempt has come. */
  void add(PassId pass, GradientMessage message) {
    long bytes = 0;
    for (@Nullable Tensor each : message.gradients()) {
      if (each != null) {
        bytes += (long) each.size() * each.dtype().bytes();
      }
    }
    add(pass, bytes);
  }

  private synchronized void add(PassId pass, long bytes) {
    passes.computeIfPresent(
        PassKey.of(pass),
        (key, before) ->
            before.attempt == pass.attempt()
                ? new Count(before.attempt, before.bytes + bytes)
                : before);
  }

  private long[] bytes(long initiator, List<@Nullable Object> arguments) {
    if (arguments.size() != 1 || !(arguments.get(0) instanceof long[] numbers)) {
      throw new GridException(Status.BAD_VALUE, "no numbers of passes: " + arguments);
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
