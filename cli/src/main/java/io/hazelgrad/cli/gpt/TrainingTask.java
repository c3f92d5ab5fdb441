package io.hazelgrad.cli.gpt;

import io.hazelgrad.grid.RemoteValue;

/**
 * The part of one worker in a training.
 *
 * @param training the training
 * @param worker the number of the worker, from 0
 * @param workers the number of all workers
 * @param parallelism the way in which they share the training
 */
@RemoteValue
record TrainingTask(TrainingCase training, int worker, int workers, Parallelism parallelism) {}
