/**
 * Operations of the catalogue: element-wise functions, reductions, matrix products, and operations
 * on shapes and indices. Start at {@link io.hazelgrad.autograd.internal.ops.AbstractOperation}.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.internal.ops;
