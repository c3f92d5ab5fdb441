package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The distribution of {@code count} durations, in nanoseconds, and their sum. A quantile such as
 * {@code p99} is the duration that 99 % of them do not exceed: an upper bound, at most an eighth
 * too high. All are 0 if nothing was counted.
 */
@RemoteValue
public record Latency(long count, long total, long p50, long p90, long p99, long p999, long max) {}
