package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The calls of one kind that a worker served since it joined.
 *
 * @param kind the kind of message, such as {@code call.function}
 * @param queued the waiting times of requests before their function began
 * @param served the times from a request's arrival until its reply was written
 */
@RemoteValue
public record ServedMetrics(String kind, long calls, long errors, Latency queued, Latency served) {}
