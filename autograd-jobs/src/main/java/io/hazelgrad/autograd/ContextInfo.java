package io.hazelgrad.autograd;

import java.time.Instant;

/**
 * An open context of the grid, up to one second late.
 *
 * @param id its originator's id and count, such as {@code 17-3}
 * @param originator the name of the worker or client that opened it
 * @param isClient whether the originator is a thin client
 * @param since the time at which it was opened, by the originator's clock
 * @param inBackward whether a backward pass of the originator runs in it
 */
public record ContextInfo(
    String id, String originator, boolean isClient, Instant since, boolean inBackward) {}
