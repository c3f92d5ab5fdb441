/**
 * The quorum of workers: the decision whether this side of a split goes on, and the way back to the
 * others. Start at {@link io.hazelgrad.grid.internal.quorum.Quorum}, which is a pure function.
 */
@NullMarked
package io.hazelgrad.grid.internal.quorum;

import org.jspecify.annotations.NullMarked;
