package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.spi.GridContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners on a background thread that rows of counters have appeared or gone. Several
 * changes before the thread begins are told once. Threads: safe.
 */
final class MetricsListeners {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsListeners.class);

  private final GridContext context;
  private final List<Metrics.Listener> all = new CopyOnWriteArrayList<>();
  private final AtomicBoolean announced = new AtomicBoolean();

  MetricsListeners(GridContext context) {
    this.context = context;
    context.onClose(() -> tell(Metrics.Listener::closed));
  }

  void add(Metrics.Listener listener) {
    all.add(listener);
    if (context.ended() == null) {
      listener.changed();
    }
  }

  /** Notes a change. It is on the path of calls, so it does not wait. */
  void changed() {
    if (!all.isEmpty() && announced.compareAndSet(false, true)) {
      try {
        context.background().execute(this::tellChange);
      } catch (RejectedExecutionException e) {
        LOG.debug("the grid has closed, so no listener hears of new counters", e);
      }
    }
  }

  private void tellChange() {
    announced.set(false); // A change from here on is told anew.
    tell(Metrics.Listener::changed);
  }

  private void tell(Consumer<Metrics.Listener> news) {
    for (Metrics.Listener each : all) {
      try {
        news.accept(each);
      } catch (RuntimeException e) {
        LOG.warn("a listener of the counters failed", e);
      }
    }
  }
}
