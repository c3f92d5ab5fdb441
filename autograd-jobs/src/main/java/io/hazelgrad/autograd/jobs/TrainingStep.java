package io.hazelgrad.autograd.jobs;

/**
 * A step that a training job has made.
 *
 * @param number the number of the step, from 0
 * @param epoch the number of the epoch, from 0; always 0 for a stream
 * @param endsEpoch whether it was the last step of its epoch
 */
public record TrainingStep(long number, long epoch, boolean endsEpoch) {}
