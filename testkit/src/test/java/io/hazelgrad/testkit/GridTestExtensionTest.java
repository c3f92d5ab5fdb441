package io.hazelgrad.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Tests of grid tests, which are run here by an engine of their own. */
class GridTestExtensionTest {
  /** The planted things, which this class takes away when it has seen that they were found. */
  private static final CountDownLatch THREAD_MAY_END = new CountDownLatch(1);

  private static final List<Object> SEEN = new ArrayList<>();

  @RemoteFunctions
  static class Box {
    static String where() {
      return Grid.current().worker().name();
    }
  }

  @GridTest(
      names = {"a", "b"},
      inProcess = true)
  static class GoodTests {
    @Test
    void grid(GridCluster cluster, Grid grid, RRefs rrefs) {
      assertThat(grid).isSameAs(cluster.grid());
      assertThat(rrefs).isSameAs(cluster.rrefs());
      assertThat(grid.rpc().sync("b", Box::where)).isEqualTo("b");
      SEEN.add(grid);
    }

    @Test
    void killsAndInjects(GridCluster cluster) {
      SEEN.add(cluster.grid());
      cluster.kill("a");
      cluster.awaitWorkers("b");
      cluster.start("c");
      cluster.faults().on("call.function").fail();
      assertThatThrownBy(() -> cluster.grid().rpc().sync("b", Box::where))
          .isInstanceOf(GridException.class);
    }

    @Test
    void restoredGrid(GridCluster cluster) {
      SEEN.add(cluster.grid());
      assertThat(cluster.grid().workers())
          .extracting(Worker::name)
          .containsExactlyInAnyOrder("driver", "a", "b");
      assertThat(cluster.grid().rpc().sync("a", Box::where)).isEqualTo("a");
      assertThatThrownBy(() -> cluster.freeze("a"))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.BAD_ARGUMENT))
          .hasMessageContaining("inProcess");
    }
  }

  @GridTest(workers = 1, inProcess = true, leftoverMillis = 300)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  static class LeavingTests {
    @Test
    @Order(1)
    void leavesAll(GridCluster cluster) throws IOException {
      RRef<Box> box = cluster.rrefs().remote("w1", Box::new);
      box.creation().join();
      SEEN.add(box); // Otherwise the garbage collector may release it before the check.
      SEEN.add(Autograd.on(cluster.grid()).open());
      Thread thread = new Thread(GridTestExtensionTest::awaitEnd, "planted-thread");
      thread.start();
      SEEN.add(new ProcessBuilder("sleep", "60").start());
      SEEN.add(cluster.grid());
    }

    @Test
    @Order(2)
    void hasAnotherGrid(Grid grid) {
      SEEN.add(grid);
    }
  }

  static class PortTests {
    @Test
    @GridTest(workers = 0, inProcess = true, leftoverMillis = 300)
    void leavesPort(Grid grid) throws IOException {
      SEEN.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      SEEN.add(grid);
    }
  }

  @GridTest(workers = 1, inProcess = true)
  static class FailingTests {
    @Test
    void fails(GridCluster cluster) {
      SEEN.add(cluster.grid());
      RRef<Box> unused = cluster.rrefs().remote("w1", Box::new);
      throw new AssertionError("on purpose");
    }
  }

  @GridTest(inProcess = true, cuttable = true)
  static class BadSettings {
    @Test
    void never(Grid grid) {
      SEEN.add(grid);
    }
  }

  private static void awaitEnd() {
    try {
      assertThat(THREAD_MAY_END.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static EngineExecutionResults run(Class<?> tests) {
    SEEN.clear();
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(tests)).execute();
  }

  private static List<Throwable> failures(EngineExecutionResults results) {
    return results.allEvents().failed().stream()
        .map(event -> event.getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class))
        .map(result -> result.getThrowable().orElseThrow())
        .toList();
  }

  @Test
  void oneGridServesAllTestsOfAClassAndIsRestoredAfterEach() {
    assertThat(failures(run(GoodTests.class))).isEmpty();
    assertThat(SEEN).hasSize(3).allMatch(grid -> grid == SEEN.get(0));
    assertThat(((Grid) SEEN.get(0)).isClosed()).isTrue();
    Leftovers.check();
  }

  @Test
  void testFailsWithTheNameOfEachThingThatItLeaves() {
    EngineExecutionResults results = run(LeavingTests.class);
    THREAD_MAY_END.countDown();
    assertThat(failures(results)).hasSize(1);
    Process process = (Process) SEEN.get(2);
    assertThat(failures(results).get(0))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 RRefs are in the registry")
        .hasMessageContaining("driver has 1 open RRef handles")
        .hasMessageContaining("1 autograd contexts")
        .hasMessageContaining("w1 has 1 objects")
        .hasMessageContaining("thread planted-thread")
        .hasMessageContaining("process " + process.pid());
    assertThat(process.onExit()).succeedsWithin(10, TimeUnit.SECONDS);
    Grid first = (Grid) SEEN.get(3);
    assertThat(first.isClosed()).isTrue();
    assertThat(SEEN.get(4)).isNotSameAs(first);
    assertThat(results.testEvents().succeeded().count()).isEqualTo(1);
    Leftovers.check();
  }

  @Test
  void testFailsWithThePortThatItLeaves() throws IOException {
    List<Throwable> failures = failures(run(PortTests.class));
    try (ServerSocket left = (ServerSocket) SEEN.get(0)) {
      assertThat(failures).hasSize(1);
      assertThat(failures.get(0)).hasMessageContaining("port " + left.getLocalPort());
    }
    assertThat(((Grid) SEEN.get(1)).isClosed()).isTrue();
  }

  @Test
  void nothingStaysWhenATestFails() {
    List<Throwable> failures = failures(run(FailingTests.class));
    assertThat(failures).hasSize(1);
    assertThat(failures.get(0)).hasMessage("on purpose");
    assertThat(((Grid) SEEN.get(0)).isClosed()).isTrue();
    Leftovers.check();
  }

  @Test
  void testFailsWhenItsSettingsContradictEachOther() {
    assertThat(failures(run(BadSettings.class)).get(0))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("inProcess")
        .hasMessageContaining("cuttable");
    assertThat(SEEN).isEmpty();
  }
}
