/**
 * Transfers through sockets of their own, beside Hazelcast's. Start at {@link
 * io.hazelgrad.grid.internal.plane.stream.StreamServer} for the sender and at {@link
 * io.hazelgrad.grid.internal.plane.stream.StreamPool} for the receiver.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane.stream;

import org.jspecify.annotations.NullMarked;
