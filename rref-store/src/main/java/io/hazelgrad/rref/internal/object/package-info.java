/** The objects that this worker owns, and waits for them. Start at {@link OwnedObjects}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.rref.internal.object;
