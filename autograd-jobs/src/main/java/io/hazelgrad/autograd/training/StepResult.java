package io.hazelgrad.autograd.training;

import java.util.OptionalDouble;

/**
 * The result of a step.
 *
 * @param changed the number of changed parameters; those without a gradient keep their values
 * @param gradientNorm the norm of all gradients before clipping; empty without clipping
 */
public record StepResult(int changed, OptionalDouble gradientNorm) {}
