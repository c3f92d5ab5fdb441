package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.LimitedMap;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values that this worker offers to all-gathers. A value stays here until every other member
 * has received it. It is written for each receiver separately, so that references in it are shared
 * with each of them, as in any reply. It counts as received when the marker behind it in the reply
 * has been written. Threads: safe.
 */
final class GatherOffers {
  private static final int TAG = 120;
  private static final int MAX_WITHDRAWN = 100;

  private final GridContext context;
  private final Map<Long, GatherOffer> offers = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /** The failures of the last gathers, by the numbers of their offers. */
  private final Map<Long, GridException> withdrawn =
      Collections.synchronizedMap(new LimitedMap<>(MAX_WITHDRAWN));

  GatherOffers(GridContext context) {
    this.context = context;
  }

  private record Marker(long offer) {}

  GatherOffer add(@Nullable Object value) {
    GatherOffer offer = new GatherOffer(numbers.incrementAndGet(), value, context.newFuture());
    offers.put(offer.number, offer);
    return offer;
  }

  /** Removes the offer of a gather that has completed, or never began. */
  void remove(GatherOffer offer) {
    offers.remove(offer.number);
  }

  /** Removes the offer of a gather that failed; a receiver that asks for it is told why. */
  void withdraw(GatherOffer offer, GridException why) {
    withdrawn.put(offer.number, why);
    remove(offer);
  }

  /** Answers a request for a value. */
  Object take(List<@Nullable Object> arguments, Incoming request) {
    long number = (Long) arguments.get(0);
    GatherOffer offer = offers.get(number);
    if (offer != null) {
      return Arrays.asList(offer.value, new Marker(number));
    }
    GridException why = withdrawn.get(number);
    String what = "worker " + context.self().name() + " gave up before its value was received";
    throw why == null
        ? new GridException(Status.TIMEOUT, what)
        : new GridException(why.status(), what + ": " + why.getMessage());
  }

  /** Fails the offer of a value that another worker cannot read. */
  @Nullable Object fail(List<@Nullable Object> arguments, Incoming request) {
    GatherOffer offer = offers.get((Long) arguments.get(0));
    if (offer != null) {
      String who = request.call().caller().name();
      String text = "worker " + who + " could not read the value: " + arguments.get(1);
      offer.taken.completeExceptionally(new GridException(Status.BAD_VALUE, text));
    }
    return null;
  }

  void lost(Worker worker) {
    offers.values().forEach(offer -> offer.received(worker.id()));
  }

  void close() {
    String text = "worker " + context.self().name() + " has left the grid";
    GridException closed = new GridException(Status.CLOSED, text, true, null, null);
    offers.values().forEach(offer -> offer.taken.completeExceptionally(closed));
  }

  ValueHook markerHook() {
    return new ValueHook() {
      @Override
      public int tag() {
        return TAG;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == Marker.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        long number = ((Marker) value).offer();
        out.int64(number);
        GatherOffer offer = offers.get(number);
        if (offer != null) {
          offer.received(message.call().caller().id());
        }
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        return new Marker(in.int64());
      }
    };
  }
}
