package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import org.junit.jupiter.api.BeforeAll;

/** The same passes as jobs of Jet. */
class DistributedBackwardByJobsTest extends DistributedBackwardTest {
  @BeforeAll
  static void join() {
    join(AutogradOptions.defaults().withScheduler(Scheduler.JOBS));
  }
}
