/** Transfers through segments of shared memory on one host. Start at {@code SegmentPool}. */
@NullMarked
package io.hazelgrad.grid.internal.plane.segment;

import org.jspecify.annotations.NullMarked;
