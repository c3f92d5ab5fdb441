package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;

/** The same passes as jobs of Jet. */
@PassesBy(Scheduler.JOBS)
class DistributedBackwardByJobsTest extends DistributedBackwardTest {}
