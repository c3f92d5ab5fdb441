package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.AutogradOptions;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/**
 * Base class of tests that share the workers A, B and C, start on A, and leave nothing on any of
 * them.
 */
abstract class ThreeWorkers {
  static final String[] WORKERS = {"A", "B", "C"};
  static InProcessGrids grids;
  static Grid a;
  static Autograd autograd;
  static AutogradOptions options;

  /** Returns the options with the scheduler that a test class asks for. */
  static AutogradOptions options(TestInfo test) {
    SchedulerUnderTest wanted =
        test.getTestClass().orElseThrow().getAnnotation(SchedulerUnderTest.class);
    return wanted == null
        ? AutogradOptions.defaults()
        : AutogradOptions.defaults().withScheduler(wanted.value());
  }

  @BeforeAll
  static void join(TestInfo test) {
    options = options(test);
    grids = InProcessGrids.join(builder -> builder.options(options), WORKERS);
    a = grids.grid("A");
    autograd = Autograd.on(a);
  }

  @AfterAll
  static void leave() {
    grids.close();
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(autograd.current()).isNull();
    awaitNothingLeft(grids, WORKERS);
  }

  /** Waits until workers have no contexts, passes, references and objects. */
  static void awaitNothingLeft(InProcessGrids grids, String... workers) {
    Fixture.awaitNothingLeft(grids, workers);
    RRefs rrefs = RRefs.on(grids.grid(workers[0]));
    Await.until("no references are left", DEADLINE, () -> rrefs.liveCount() == 0);
    for (String worker : workers) {
      RRefs there = RRefs.on(grids.grid(worker));
      Await.until("no objects are left on " + worker, DEADLINE, () -> there.objectCount() == 0);
    }
  }
}
