/** The tensor plane of a worker: its figures about the transfers of large tensors. */
@NullMarked
package io.hazelgrad.grid.plane;

import org.jspecify.annotations.NullMarked;
