package io.hazelgrad.rref;

import org.jspecify.annotations.Nullable;

/**
 * One open handle of an RRef, as {@link RRefs#find} reports it: a row of a table.
 *
 * @param rref the RRef's id, for example {@code 3-17}: its creator and the creator's count
 * @param fork the handle's id
 * @param owner the name of the worker on which the object lives, or lived
 * @param holder the name of the worker or client that holds the handle
 * @param state the object's state: CREATING, READY or FAILED; LOST if its owner is not in the grid,
 *     or ORPHANED if it is durable; GONE if its owner has dropped it; UNKNOWN without an answer
 * @param type the name of the object's class; null while it is not known, and for null
 * @param bytes the bytes of tensors, arrays and strings in the object when it was made; -1 before
 * @param ageMillis the age of the handle in ms; -1 if another client holds it
 * @param madeAt the place where the handle was made or received, for example a line of user code;
 *     unknown if another client holds it
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
