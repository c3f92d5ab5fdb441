package io.hazelgrad.testkit;

import io.hazelgrad.launcher.LocalCluster;

/** A network between the workers of a cluster that a test can cut. Threads: safe. */
sealed interface TestNetwork extends LocalCluster.Network, AutoCloseable
    permits CutNetwork, HostNetwork {
  /** Cuts the network from one worker to another. */
  void cutOneWay(String from, String to);

  /** Ends all faults. */
  void heal();

  @Override
  void close();
}
