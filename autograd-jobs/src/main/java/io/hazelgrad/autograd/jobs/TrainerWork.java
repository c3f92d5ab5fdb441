package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.RemoteValue;

/**
 * The share of one process in a training, as far as the model's state contains it.
 *
 * @param worker the name of the worker
 * @param pid the process
 * @param rows the number of rows that it computed
 * @param bytes the number of bytes that it sent to other trainers
 */
@RemoteValue
public record TrainerWork(String worker, long pid, long rows, long bytes) {}
