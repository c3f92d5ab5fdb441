package io.hazelgrad.tests.plane;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.plane.PlaneFigures;
import io.hazelgrad.grid.plane.TensorPlane;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Base class of tests with the workers A and B in JVMs of their own and the JVM of the tests. After
 * each test both workers are alive, and this JVM holds, shares and awaits no tensor.
 */
@ExtendWith(Leftovers.class)
abstract class TwoWorkers {
  static final int MIB = 1 << 20;
  static final Duration SOON = Duration.ofSeconds(30);

  static JvmCluster cluster;
  static Grid driver;

  static void start(String... jvmOptions) {
    cluster = JvmCluster.workers("A", "B").jvmOptions(jvmOptions).start();
    driver = cluster.grid();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void restore() {
    cluster.startMissing();
    cluster.awaitAgreement("A", "B");
    awaitNothingHeld();
  }

  static PlaneFigures figures() {
    return TensorPlane.of(driver).figures();
  }

  static void awaitNothingHeld() {
    Await.until(
        SOON,
        () -> {
          System.gc();
          List<Long> left = TensorFunctions.figures(driver);
          return left.stream().allMatch(figure -> figure == 0)
              ? ""
              : "lent, held, offered, arriving and landed at the driver: " + left;
        });
  }
}
