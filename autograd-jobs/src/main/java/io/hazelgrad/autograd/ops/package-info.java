/**
 * The operations on tensors and their gradients. {@link io.hazelgrad.autograd.ops.Catalogue} names
 * each {@link io.hazelgrad.autograd.ops.Operation} once; a {@link
 * io.hazelgrad.autograd.ops.Backend} does the arithmetic.
 *
 * <p>Semantics are those of PyTorch: shapes, broadcasting, element types, special values.
 *
 * <p>This package depends on tensors only, not on variables, graphs or the grid.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.ops;
