/** Transfers through sockets, from a {@code StreamServer} to a {@code StreamPool}. */
@NullMarked
package io.hazelgrad.grid.internal.plane.stream;

import org.jspecify.annotations.NullMarked;
