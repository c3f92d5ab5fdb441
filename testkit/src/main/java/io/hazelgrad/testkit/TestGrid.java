package io.hazelgrad.testkit;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The grid of a class of tests, or of one test. It starts when it is needed, and anew after a test
 * that failed or left something.
 */
final class TestGrid implements AutoCloseable {
  private final GridTest settings;
  private final List<String> names;
  private final Duration patience;
  private @Nullable GridCluster cluster;
  private @Nullable TestBaseline beforeStart;
  private @Nullable TestBaseline beforeTest;

  TestGrid(GridTest settings) {
    this.settings = settings;
    if (settings.workers() < 0) {
      throw new GridException(
          Status.BAD_ARGUMENT, "@GridTest has " + settings.workers() + " workers; use 0 or more");
    }
    if (settings.inProcess() && (settings.cuttable() || settings.jvmOptions().length > 0)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "@GridTest has inProcess together with cuttable or jvmOptions, which need JVMs; leave one"
              + " of them out");
    }
    names =
        settings.names().length > 0
            ? List.of(settings.names())
            : IntStream.rangeClosed(1, settings.workers()).mapToObj(i -> "w" + i).toList();
    patience = Duration.ofMillis(settings.leftoverMillis());
  }

  GridCluster cluster() {
    if (cluster == null) {
      beforeStart = TestBaseline.take(true);
      cluster = start();
    }
    return cluster;
  }

  private GridCluster start() {
    if (settings.inProcess()) {
      return InProcessCluster.start(names, settings.functions());
    }
    JvmClusterBuilder builder =
        JvmCluster.workers(names.toArray(String[]::new))
            .functions(settings.functions())
            .jvmOptions(settings.jvmOptions());
    return settings.cuttable() ? builder.cuttable().start() : builder.start();
  }

  /** Begins a test. */
  void begin() {
    GridCluster unused = cluster();
    // A worker of this JVM that joins anew opens other ports; they are checked at the end.
    beforeTest = TestBaseline.take(!settings.inProcess() && !settings.cuttable());
  }

  /**
   * Ends a test: restores the grid and checks that nothing is left. The grid of a test that failed
   * is ended, since nobody knows in which state it is.
   */
  void end(boolean failed) {
    boolean good = false;
    try {
      if (!failed && cluster != null) {
        restore(cluster);
        check(beforeTest);
        good = true;
      }
    } finally {
      if (!good) {
        end();
        Leftovers.clear();
        beforeStart = null; // Its failure says enough.
      }
    }
  }

  private void restore(GridCluster grid) {
    if (!settings.inProcess()) {
      grid.workerNames().forEach(grid::thaw);
    }
    if (settings.cuttable()) {
      grid.heal();
    }
    grid.faults().clear();
    grid.workerNames().stream().filter(name -> !names.contains(name)).forEach(grid::stop);
    grid.startMissing();
    grid.awaitPeace();
    if (grid instanceof JvmCluster jvms) {
      jvms.awaitAgreement(names.toArray(String[]::new));
    }
    for (String worker : names) {
      int unused = grid.grid().rpc().sync(worker, WorkerProbe::clearFaults);
    }
  }

  private void check(@Nullable TestBaseline baseline) {
    Leftovers.check(patience, baseline == null ? List::of : baseline::leftovers);
  }

  private void end() {
    if (cluster != null) {
      GridCluster ended = cluster;
      cluster = null;
      ended.close();
    }
  }

  /** Ends the grid and checks that nothing of it is left. */
  @Override
  public void close() {
    end();
    check(beforeStart);
    beforeStart = null;
  }
}
