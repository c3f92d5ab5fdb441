package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;

/** The tests of {@link BackwardFailureTest} with passes as jobs of Jet. */
@SchedulerUnderTest(Scheduler.JOBS)
class BackwardFailureByJobsTest extends BackwardFailureTest {}
