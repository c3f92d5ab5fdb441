package io.hazelgrad.autograd.training;

import java.util.OptionalDouble;

/**
 * What a step did.
 *
 * @param changed how many parameters it changed; those without a gradient stay as they were
 * @param gradientNorm the norm of all gradients before they were clipped; only where an optimizer
 *     clips
 */
public record StepResult(int changed, OptionalDouble gradientNorm) {}
