package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import org.junit.jupiter.api.Tag;

/** The tests of {@link LostWorkerTest} with passes as jobs of Jet. */
@SchedulerUnderTest(Scheduler.JOBS)
@Tag("slow")
class LostWorkerByJobsTest extends LostWorkerTest {}
