package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;

/** The same failures in jobs of Jet. */
@PassesBy(Scheduler.JOBS)
class BackwardFailureByJobsTest extends BackwardFailureTest {}
