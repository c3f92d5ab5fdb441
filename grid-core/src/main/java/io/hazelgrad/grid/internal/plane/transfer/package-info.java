/** Transfers of tensors that wait to be fetched, and the buffers that receive them. */
@NullMarked
package io.hazelgrad.grid.internal.plane.transfer;

import org.jspecify.annotations.NullMarked;
