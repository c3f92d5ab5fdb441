package io.hazelgrad.grid.internal.metrics;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.metrics.CallMetrics;
import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import io.hazelgrad.grid.spi.CallInterceptor;
import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.Incoming;
import io.hazelgrad.grid.spi.MessageKind;
import io.hazelgrad.grid.spi.Outgoing;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the calls that a worker or client makes and serves. */
final class MetricsCollector implements Metrics, CallInterceptor {
  private final GridContext context;
  private final MetricsListeners listeners;
  private final DestinationCounters destinations;
  private final Map<MessageKind, ServedCounter> served = new ConcurrentHashMap<>();

  /** Counts the served calls of one kind, without locks. */
  private static final class ServedCounter {
    final LongAdder errors = new LongAdder();
    final Histogram queued = new Histogram();
    final Histogram served = new Histogram();

    ServedMetrics snapshot(String kind) {
      Latency times = served.snapshot();
      return new ServedMetrics(kind, times.count(), errors.sum(), queued.snapshot(), times);
    }
  }

  MetricsCollector(GridContext context) {
    this.context = context;
    this.listeners = new MetricsListeners(context);
    this.destinations = new DestinationCounters(listeners::changed);
    context.interceptor(this);
    context.onLost(destinations::removeLost);
  }

  @Override
  public MetricsSnapshot snapshot() {
    return new MetricsSnapshot(
        context.self().name(),
        figures(),
        destinations.snapshot().stream()
            .sorted(Comparator.comparing(CallMetrics::destination).thenComparing(CallMetrics::kind))
            .toList(),
        served.entrySet().stream()
            .map(entry -> entry.getValue().snapshot(entry.getKey().name()))
            .sorted(Comparator.comparing(ServedMetrics::kind))
            .toList());
  }

  @Override
  public Map<String, Long> figures() {
    return new TreeMap<>(context.figures());
  }

  @Override
  public @Nullable Long figure(String name) {
    return context.figure(name);
  }

  @Override
  public @Nullable CallMetrics calls(String destination, String kind) {
    return destinations.snapshot(destination, kind);
  }

  @Override
  public @Nullable ServedMetrics served(String kind) {
    return served.entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(kind))
        .findAny()
        .map(entry -> entry.getValue().snapshot(kind))
        .orElse(null);
  }

  @Override
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  private ServedCounter served(Incoming request) {
    MessageKind kind = request.call().kind();
    ServedCounter known = served.get(kind);
    if (known != null) {
      return known;
    }
    ServedCounter made = served.computeIfAbsent(kind, key -> new ServedCounter());
    listeners.changed();
    return made;
  }

  @Override
  public void departing(Outgoing message) {
    if (message.isRequest()) {
      destinations.addLiving(message.receiver());
    }
  }

  @Override
  public void resolved(Incoming request, List<@Nullable Object> arguments) {
    served(request).queued.add(System.nanoTime() - request.receivedNanos());
  }

  @Override
  public boolean threw(Incoming request, GridException failure) {
    served(request).errors.increment();
    return false;
  }

  @Override
  public void ended(Incoming request) {
    served(request).served.add(System.nanoTime() - request.receivedNanos());
  }

  @Override
  public void over(Outgoing message, @Nullable GridException failure) {
    if (message.isRequest()) {
      destinations
          .get(message.receiver(), message.kind())
          .ended(
              System.nanoTime() - message.madeNanos(),
              message.bytes(),
              message.answerBytes(),
              failure == null ? null : failure.status());
    }
  }
}
