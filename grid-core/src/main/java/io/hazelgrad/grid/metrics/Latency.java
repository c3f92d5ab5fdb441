package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The distribution of durations, in nanoseconds. Quantiles are upper bounds, at most an eighth too
 * high; all are 0 if nothing was counted.
 *
 * @param count the number of durations
 * @param p50 the duration that half of them do not exceed
 * @param p90 the same for 90 %
 * @param p99 the same for 99 %
 * @param p999 the same for 99.9 %
 * @param max the same for all
 */
@RemoteValue
public record Latency(long count, long p50, long p90, long p99, long p999, long max) {}
