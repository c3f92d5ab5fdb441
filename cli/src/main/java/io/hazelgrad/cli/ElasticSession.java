package io.hazelgrad.cli;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;

/**
 * A local cluster of worker processes, any of which may be killed and started again, and a client
 * of it. This JVM is no member, so it takes over nothing from those that die.
 */
public final class ElasticSession implements AutoCloseable {
  private static final Duration START_OF_EACH = Duration.ofSeconds(30);

  private final LocalCluster cluster;
  private final GridClient client;

  private ElasticSession(LocalCluster cluster) {
    this.cluster = cluster;
    this.client =
        GridClient.connect(
            LocalClients.config(
                cluster.name(),
                cluster.workers().stream()
                    .map(worker -> cluster.worker(worker).clientEndpoint())
                    .toList()));
  }

  /** Starts workers and connects to them. */
  public static ElasticSession open(LocalCluster.Spec workers) {
    LocalCluster cluster =
        LocalCluster.start(
            workers.withStartTimeout(START_OF_EACH.multipliedBy(workers.workers().size())));
    try {
      return new ElasticSession(cluster);
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /** Returns the worker processes. */
  public LocalCluster cluster() {
    return cluster;
  }

  /** Returns the client. */
  public GridClient client() {
    return client;
  }

  /** Disconnects, and ends the workers. */
  @Override
  public void close() {
    try {
      client.close();
    } finally {
      cluster.close();
    }
  }
}
