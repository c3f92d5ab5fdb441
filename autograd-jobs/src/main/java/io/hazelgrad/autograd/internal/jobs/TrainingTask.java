package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingProgram;
import io.hazelgrad.grid.RemoteValue;
import org.jspecify.annotations.Nullable;

/**
 * All that the processors of a training job need to know of it.
 *
 * @param name the name of the job
 * @param program the program
 * @param options the options
 * @param start the state from which the training goes on; null for the beginning
 */
@RemoteValue
record TrainingTask(
    String name,
    TrainingProgram<?, ?> program,
    TrainingOptions options,
    @Nullable StartState start) {}
