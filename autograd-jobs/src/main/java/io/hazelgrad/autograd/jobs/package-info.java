/**
 * Training jobs: trainings that go on by themselves when a worker dies.
 *
 * <p>A {@link io.hazelgrad.autograd.jobs.TrainingProgram} says what is trained; {@link
 * io.hazelgrad.autograd.jobs.TrainingJobs} starts it on the workers of a grid.
 */
@NullMarked
package io.hazelgrad.autograd.jobs;

import org.jspecify.annotations.NullMarked;
