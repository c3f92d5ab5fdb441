package io.hazelgrad.cli;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.launcher.LocalCluster;
import java.util.concurrent.TimeUnit;

/** Worker processes, and this JVM as the worker "here", for tests of commands. */
record ClusterWithGuest(LocalCluster cluster, Grid here) implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  /** Starts the workers, then joins them. */
  static ClusterWithGuest start(LocalCluster.Spec spec) {
    LocalCluster cluster = LocalCluster.start(spec);
    Grid here = Grid.join(cluster.joiner("here").build());
    cluster.joinedHere();
    return new ClusterWithGuest(cluster, here);
  }

  /** Leaves, ends the workers, and waits until no process of this one is left. */
  @Override
  public void close() throws Exception {
    here.close();
    cluster.close();
    for (ProcessHandle child : ProcessHandle.current().descendants().toList()) {
      child.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
