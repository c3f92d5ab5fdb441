/**
 * Transfers of tensors that wait to be fetched, and the buffers that receive them. The ways of
 * transfer build on this package.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane.transfer;

import org.jspecify.annotations.NullMarked;
