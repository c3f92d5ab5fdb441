package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;

/**
 * What {@link Operation#forward} gives.
 *
 * @param output the result
 * @param saved what {@link Operation#backward} will want
 */
public record Forward(Tensor output, Saved saved) {}
