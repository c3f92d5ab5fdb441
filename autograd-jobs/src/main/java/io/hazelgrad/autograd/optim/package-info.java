/** Optimizers and learning-rate schedules with the formulas of {@code torch.optim}. */
@NullMarked
package io.hazelgrad.autograd.optim;

import org.jspecify.annotations.NullMarked;
