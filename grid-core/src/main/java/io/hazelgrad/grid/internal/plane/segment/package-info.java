/**
 * Transfers through shared memory, in segments that a sender and its receivers on one host map.
 * Start at {@link io.hazelgrad.grid.internal.plane.segment.SegmentPool}.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane.segment;

import org.jspecify.annotations.NullMarked;
