package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.hazelgrad.testkit.GridCluster;
import io.hazelgrad.testkit.GridTest;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Grid tests that fail, with workers in JVMs of their own; an engine of their own runs them. */
@Tag("slow")
class GridTestOfJvmsTest {
  private static final List<ProcessHandle> WORKERS = new ArrayList<>();
  private static final AtomicReference<ServerSocket> PORT = new AtomicReference<>();

  @GridTest(workers = 1, leftoverMillis = 500)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class PlantedTests {
    @Test
    @Order(1)
    void leavesPort(GridCluster cluster) throws IOException {
      remember(cluster);
      PORT.set(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    }

    @Test
    @Order(2)
    void losesWorker(GridCluster cluster) {
      remember(cluster);
      ProcessHandle worker = WORKERS.get(1);
      worker.destroyForcibly();
      cluster.await("w1 has ended", () -> !worker.isAlive());
    }

    @Test
    @Order(3)
    void failsWithFrozenWorker(GridCluster cluster) {
      remember(cluster);
      cluster.freeze("w1");
      throw new AssertionError("on purpose");
    }
  }

  private static void remember(GridCluster cluster) {
    WORKERS.add(((JvmCluster) cluster).processes().worker("w1").handle());
  }

  @Test
  void leftPortIsNamedAndNothingStaysWhenTestsFail() throws IOException {
    List<Throwable> failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(PlantedTests.class))
            .execute()
            .allEvents()
            .failed()
            .stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow())
            .toList();
    try (ServerSocket left = PORT.get()) {
      assertThat(failures).hasSize(3);
      assertThat(failures.get(0)).hasMessageContaining("port " + left.getLocalPort());
      assertThat(failures.get(1)).hasMessageContaining("worker w1 ended with code 137");
      assertThat(failures.get(2)).hasMessage("on purpose");
    }
    assertThat(WORKERS).hasSize(3).doesNotHaveDuplicates().noneMatch(ProcessHandle::isAlive);
    Leftovers.check();
  }
}
