package io.hazelgrad.grid.group;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.Outgoing;
import io.hazelgrad.grid.spi.ValueHook;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The values that this worker brought to all-gathers. Each stays here until every other member has
 * taken it, so that it is written for each receiver by itself: a reference inside is shared with
 * each of them, as in any reply.
 *
 * <p>A value counts as taken when it has been written. That is seen by a mark that follows the
 * value in the reply and is written after it.
 *
 * <p>Threads: safe.
 */
final class GatherOffers {
  private static final int TAG = 120;
  private static final int MOST_WITHDRAWN = 100;

  private final GridContext context;
  private final Map<Long, GatherOffer> offers = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();

  /** Why the last failed gathers failed, by their offers. */
  private final Map<Long, GridException> withdrawn =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, GridException> eldest) {
          return size() > MOST_WITHDRAWN;
        }
      };

  GatherOffers(GridContext context) {
    this.context = context;
  }

  /** Stands behind a value in a reply. */
  private record Taken(long offer) {}

  GatherOffer add(@Nullable Object value) {
    GatherOffer offer = new GatherOffer(numbers.incrementAndGet(), value, context.newFuture());
    offers.put(offer.number(), offer);
    return offer;
  }

  /** The gather has ended with its value taken, or before it began. */
  void remove(GatherOffer offer) {
    offers.remove(offer.number());
  }

  /** The gather has failed; who comes for the value still hears why. */
  void withdraw(GatherOffer offer, GridException why) {
    synchronized (withdrawn) {
      withdrawn.put(offer.number(), why);
    }
    remove(offer);
  }

  int size() {
    return offers.size();
  }

  /** Answers who wants a value. */
  Object take(List<@Nullable Object> arguments, Incoming request) {
    long number = (Long) arguments.get(0);
    GatherOffer offer = offers.get(number);
    if (offer == null) {
      throw gaveUp(number);
    }
    return Arrays.asList(offer.value(), new Taken(number));
  }

  private GridException gaveUp(long number) {
    GridException why;
    synchronized (withdrawn) {
      why = withdrawn.get(number);
    }
    String what = "worker " + context.self().name() + " gave up before its value was taken";
    return why == null
        ? new GridException(Status.TIMEOUT, what)
        : new GridException(why.status(), what + ": " + why.getMessage());
  }

  /** Hears from another worker that it cannot read a value. */
  @Nullable Object refused(List<@Nullable Object> arguments, Incoming request) {
    GatherOffer offer = offers.get((Long) arguments.get(0));
    if (offer != null) {
      offer.refused(
          new GridException(
              Status.BAD_VALUE,
              "worker "
                  + request.call().caller().name()
                  + " could not take the value: "
                  + arguments.get(1)));
    }
    return null;
  }

  void gone(Worker worker) {
    offers.values().forEach(offer -> offer.notAwaited(worker.id()));
  }

  void close() {
    GridException closed =
        new GridException(
            Status.CLOSED,
            "worker " + context.self().name() + " has left the grid",
            true,
            null,
            null);
    offers.values().forEach(offer -> offer.refused(closed));
  }

  ValueHook marks() {
    return new ValueHook() {
      @Override
      public int tag() {
        return TAG;
      }

      @Override
      public boolean owns(Class<?> type) {
        return type == Taken.class;
      }

      @Override
      public void write(Object value, Outgoing message, WireOutput out) {
        long number = ((Taken) value).offer();
        out.int64(number);
        GatherOffer offer = offers.get(number);
        if (offer != null) {
          offer.notAwaited(message.call().caller().id());
        }
      }

      @Override
      public Object read(Incoming message, WireInput in) {
        return new Taken(in.int64());
      }
    };
  }
}
