/**
 * How the elements of large tensors travel beside the messages that carry the tensors: through
 * memory that processes of one host share, or in chunks. {@link
 * io.hazelgrad.grid.plane.TensorPlane} says what happened.
 */
@NullMarked
package io.hazelgrad.grid.plane;

import org.jspecify.annotations.NullMarked;
