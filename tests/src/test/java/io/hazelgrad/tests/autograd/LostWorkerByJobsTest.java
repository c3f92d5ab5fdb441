package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;

/** The same losses in jobs of Jet. */
@PassesBy(Scheduler.JOBS)
class LostWorkerByJobsTest extends LostWorkerTest {}
