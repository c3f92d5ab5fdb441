/**
 * The tensor plane: decides for each large tensor of a message how its elements travel beside the
 * message. Start at {@link io.hazelgrad.grid.internal.plane.TensorPlane}.
 */
@NullMarked
package io.hazelgrad.grid.internal.plane;

import org.jspecify.annotations.NullMarked;
