/** The tensor plane: large tensors travel beside messages. Start at {@code TensorRouter}. */
@NullMarked
package io.hazelgrad.grid.internal.plane;

import org.jspecify.annotations.NullMarked;
