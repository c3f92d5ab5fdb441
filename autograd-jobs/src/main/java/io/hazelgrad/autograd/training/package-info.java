/**
 * Training: optimizers applied to the parameters of this process or of many workers, gradient
 * clipping, learning-rate schedules, and checkpoints.
 */
@NullMarked
package io.hazelgrad.autograd.training;

import org.jspecify.annotations.NullMarked;
