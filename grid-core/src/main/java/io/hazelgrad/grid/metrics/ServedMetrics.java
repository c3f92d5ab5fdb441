package io.hazelgrad.grid.metrics;

import io.hazelgrad.grid.RemoteValue;

/**
 * The calls of one kind that this worker served, since it joined.
 *
 * @param kind the kind of message, such as {@code call.function}
 * @param calls how many were run and have ended, well or not
 * @param errors how many of them failed
 * @param queued how long requests had waited when their function began
 * @param served how long they took from their arrival until the reply was written
 */
@RemoteValue
public record ServedMetrics(String kind, long calls, long errors, Latency queued, Latency served) {}
