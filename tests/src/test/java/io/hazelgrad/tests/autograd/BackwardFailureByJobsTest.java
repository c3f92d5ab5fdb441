package io.hazelgrad.tests.autograd;

import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.autograd.AutogradOptions.Scheduler;
import org.junit.jupiter.api.BeforeAll;

/** The same failures in jobs of Jet. */
class BackwardFailureByJobsTest extends BackwardFailureTest {
  @BeforeAll
  static void join() {
    join(AutogradOptions.defaults().withScheduler(Scheduler.JOBS));
  }
}
