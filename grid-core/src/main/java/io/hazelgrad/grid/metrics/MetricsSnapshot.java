package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/**
 * What a worker has counted until a moment. Counters are read one after the other, while calls go
 * on; so sums may be off by the calls of that moment.
 *
 * @param worker the worker's name
 * @param figures the figures of the process by name, see {@link Metrics#figures}
 * @param calls the calls that it made
 * @param served the calls that it served
 */
@RemoteValue
public record MetricsSnapshot(
    String worker,
    Map<String, Long> figures,
    List<CallMetrics> calls,
    List<ServedMetrics> served) {}
