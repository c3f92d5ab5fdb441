package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The calls of one kind to one destination, since the worker joined.
 *
 * @param destination the worker's name; {@value Metrics#LOST} for all that have left
 * @param kind the kind of message, such as {@code call.function}
 * @param calls how many have ended, well or not
 * @param errors how many of them failed
 * @param rejected how many of those that failed did so because the callee had no room
 * @param bytesOut what requests took on the wire
 * @param bytesIn what replies took
 * @param latency how long calls took as their caller sees it, those that failed included
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
