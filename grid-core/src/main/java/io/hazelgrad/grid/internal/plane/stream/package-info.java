/** Transfers through sockets, from a {@code StreamServer} to a {@code StreamPool}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.plane.stream;
