package io.hazelgrad.tests.conformance;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.tests.ClientSuite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * Tests of {@link SingleThreadedProfilerSuite}. The workers are members of this JVM, as only their
 * number of threads matters here.
 */
class SingleThreadedProfilerTest {
  private static InProcessGrids grids;

  @Nested
  class OfMembers extends SingleThreadedProfilerSuite {
    @Override
    void run(String test) {
      runEverywhere(test);
    }
  }

  @Nested
  @ClientSuite
  class OfClient extends SingleThreadedProfilerSuite {
    @Override
    void run(String test) throws Throwable {
      try (GridClient client = grids.client(FourWorkers.CLIENT)) {
        PeerSuite.run(client, ProfilerSuite.class.getName(), test);
      }
    }
  }

  @BeforeAll
  static void join() {
    String[] names = new String[FourWorkers.COUNT];
    for (int rank = 0; rank < names.length; rank++) {
      names[rank] = FourWorkers.name(rank);
    }
    grids = InProcessGrids.join((HazelgradConfig.Builder builder) -> builder.maxRunning(1), names);
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  @AfterEach
  void nothingIsLeft() {
    Await.until(
        Duration.ofSeconds(20),
        () -> {
          StringBuilder left = new StringBuilder();
          for (int rank = 0; rank < FourWorkers.COUNT; rank++) {
            Grid grid = grids.grid(FourWorkers.name(rank));
            int count =
                RRefs.on(grid).handleCount()
                    + RRefs.on(grid).objectCount()
                    + Autograd.on(grid).contextCount()
                    + grid.outstandingCalls();
            if (count > 0) {
              left.append(grid).append(" has ").append(Metrics.of(grid).figures()).append(' ');
            }
          }
          return left.toString();
        });
  }

  /** Runs a test on all workers at once. */
  private static void runEverywhere(String test) {
    Function<?> run = Function.named(PeerSuite.class, "run", String.class, String.class);
    List<CompletableFuture<?>> running = new ArrayList<>();
    for (int rank = 0; rank < FourWorkers.COUNT; rank++) {
      running.add(
          grids
              .grid(FourWorkers.name(0))
              .rpc()
              .async(FourWorkers.name(rank), run, ProfilerSuite.class.getName(), test));
    }
    for (CompletableFuture<?> one : running) {
      var unused = Rpc.await(one);
    }
  }
}
