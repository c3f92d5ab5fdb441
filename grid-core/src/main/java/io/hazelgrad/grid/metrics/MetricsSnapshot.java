package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/**
 * The counters of a worker at one moment. They are read one after the other while calls go on, so
 * sums may differ by the calls of that moment.
 *
 * @param figures the figures of the process by name, see {@link Metrics#figures}
 * @param calls the calls that it made
 * @param served the calls that it served
 */
@RemoteFunctions
@RemoteValue
public record MetricsSnapshot(
    String worker, Map<String, Long> figures, List<CallMetrics> calls, List<ServedMetrics> served) {
  /** Returns the counters of the called worker. This call itself counts as served. */
  public static MetricsSnapshot ofCallee() {
    return Metrics.of(Grid.current()).snapshot();
  }
}
