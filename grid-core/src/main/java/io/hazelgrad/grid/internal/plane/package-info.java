/**
 * The tensor plane of a worker, which transfers the elements of large tensors beside the messages
 * that carry the tensors. Start at {@link io.hazelgrad.grid.internal.plane.TensorRouter}.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane;

import org.jspecify.annotations.NullMarked;
