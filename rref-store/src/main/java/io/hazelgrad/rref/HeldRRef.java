package io.hazelgrad.rref;

import org.jspecify.annotations.Nullable;

/**
 * One open handle of an RRef, as {@link RRefs#find} reports it. Flat, so that it can become a row
 * of a table.
 *
 * @param rref the RRef's id, such as {@code 3-17}: its creator and the creator's count
 * @param fork the handle's id
 * @param owner the name of the worker on which the object lives, or lived
 * @param holder the name of the worker or client that has the handle
 * @param state of the object: CREATING, READY, FAILED; LOST if its owner is not in the grid,
 *     ORPHANED if it is durable then, as far as the holder knows; GONE if its owner does not know
 *     it any more, UNKNOWN if its owner did not answer
 * @param type the name of the object's class; null while it is not known, and for null
 * @param bytes of the tensors, arrays and strings in the object when it was made; -1 while it is
 *     not known
 * @param ageMillis for how long the holder has had the handle; -1 if it is another client, which
 *     cannot be asked
 * @param madeAt where the handle was made or received, for example a line of the user's code; of
 *     another client it is not known
 * @param durable whether the object outlives its owner
 */
public record HeldRRef(
    String rref,
    String fork,
    String owner,
    String holder,
    String state,
    @Nullable String type,
    long bytes,
    long ageMillis,
    String madeAt,
    boolean durable) {}
