/** Optimizers and learning-rate schedules with the formulas of {@code torch.optim}. */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.optim;
