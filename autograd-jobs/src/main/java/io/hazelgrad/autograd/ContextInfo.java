package io.hazelgrad.autograd;

import java.time.Instant;

/**
 * What the grid knows of an open context, a second after it was opened or changed.
 *
 * @param id its originator's id and count, such as {@code 17-3}
 * @param originator the name of who opened it
 * @param isClient whether that is a thin client
 * @param since when it was opened, by the originator's clock
 * @param inBackward whether a backward pass of the originator's ran in it
 */
public record ContextInfo(
    String id, String originator, boolean isClient, Instant since, boolean inBackward) {}
