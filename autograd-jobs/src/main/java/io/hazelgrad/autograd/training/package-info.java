/**
 * Training: optimizers applied to the parameters of this process or of many workers, gradient
 * clipping, learning-rate schedules, and checkpoints.
 */
@org.jspecify.annotations.NullMarked
package io.hazelgrad.autograd.training;
