/** The decision whether this side of a split goes on. Start at {@code Quorum}, a pure function. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.quorum;
