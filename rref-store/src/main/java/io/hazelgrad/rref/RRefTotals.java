package io.hazelgrad.rref;

import io.hazelgrad.grid.RemoteValue;

/**
 * How much one worker owns and holds.
 *
 * @param worker its name
 * @param objects the objects that it owns, those being made included
 * @param bytes of those objects, counted as {@link HeldRRef#bytes()}
 * @param handles the handles that it has
 * @param forgotten how many of its handles the garbage collector had to release, since it joined
 */
@RemoteValue
public record RRefTotals(String worker, long objects, long bytes, long handles, long forgotten) {}
