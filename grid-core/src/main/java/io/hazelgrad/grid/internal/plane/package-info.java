/** The tensor plane: large tensors travel beside messages. Start at {@code TensorRouter}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.grid.internal.plane;
