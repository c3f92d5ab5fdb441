/**
 * The objects that this worker owns: their table, their limits, and the calls that wait for them.
 * Start at {@link io.hazelgrad.rref.internal.object.OwnedObjects}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.object;
