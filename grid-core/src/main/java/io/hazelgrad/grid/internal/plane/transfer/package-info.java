/** Transfers of tensors that wait to be fetched, and the buffers that receive them. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.plane.transfer;
