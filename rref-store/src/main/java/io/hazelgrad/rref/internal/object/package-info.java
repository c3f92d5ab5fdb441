/** The objects of this worker, and calls that wait for them. Start at {@link OwnedObjects}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.object;
