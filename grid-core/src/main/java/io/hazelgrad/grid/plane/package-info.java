/** The tensor plane of a worker: its figures about the transfers of large tensors. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.plane;
