package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The calls of one kind to one destination since the worker joined.
 *
 * @param destination the worker's name; {@value Metrics#LOST} for all that have left
 * @param kind the kind of message, such as {@code call.function}
 * @param calls the calls that have ended, successfully or not
 * @param rejected the failed calls that the callee rejected because it was full
 * @param latency the durations as the caller sees them, failed calls included
 */
@RemoteValue
public record CallMetrics(
    String destination,
    String kind,
    long calls,
    long errors,
    long rejected,
    long bytesOut,
    long bytesIn,
    Latency latency) {}
