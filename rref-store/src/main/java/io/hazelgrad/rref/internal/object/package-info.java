/**
 * The objects that this worker owns: their creation, their limits, and the calls that use them.
 * Start at {@link io.hazelgrad.rref.internal.object.OwnedObjects}.
 */
@NullMarked
package io.hazelgrad.rref.internal.object;

import org.jspecify.annotations.NullMarked;
