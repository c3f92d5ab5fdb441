/** The decision whether this side of a split goes on. Start at {@code Quorum}, a pure function. */
@NullMarked
package io.hazelgrad.grid.internal.quorum;

import org.jspecify.annotations.NullMarked;
