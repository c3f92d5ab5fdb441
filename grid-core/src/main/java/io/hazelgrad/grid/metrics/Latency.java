package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * How long things took, in nanoseconds. Quantiles are upper bounds, an eighth too high at most; all
 * are 0 if nothing was counted.
 *
 * @param count how many were counted
 * @param p50 half of them took no longer
 * @param p90 nine of ten
 * @param p99 99 of a hundred
 * @param p999 999 of a thousand
 * @param max all of them
 */
@RemoteValue
public record Latency(long count, long p50, long p90, long p99, long p999, long max) {}
