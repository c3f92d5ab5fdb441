/** Transfers through segments of shared memory on one host. Start at {@code SegmentPool}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.plane.segment;
