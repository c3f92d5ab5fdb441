/**
 * Transfers through shared memory: segments that sender and receivers of one host keep mapped.
 * Start at {@link io.hazelgrad.grid.internal.plane.segment.SegmentPool}.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane.segment;

import org.jspecify.annotations.NullMarked;
