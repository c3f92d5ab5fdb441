package io.hazelgrad.client;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridProvider;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.ClientConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The start of one client, which ends at a deadline. Hazelcast's own start waits for ever for a
 * cluster by default, and for a minute for a member that is stopped. So it runs on a thread of its
 * own, and the caller waits for it.
 *
 * <p>The caller gives up at the deadline, perhaps while the start succeeds. The first of the two
 * threads that completes {@link #started} decides. After the caller has given up, it shuts down the
 * Hazelcast client if that is there; if not, the starting thread does so later.
 */
final class ClientStart {
  private final ClientConfig config;
  private final HazelgradConfig hazelgrad;
  private final CompletableFuture<GridClient> started = new CompletableFuture<>();
  private final Thread thread;
  private volatile @Nullable HazelcastInstance client;

  ClientStart(ClientConfig config, HazelgradConfig hazelgrad) {
    this.config = ClientConnection.prepare(config);
    this.hazelgrad = hazelgrad;
    this.thread = new Thread(this::run, "hazelgrad-" + hazelgrad.name() + "-connect");
    thread.setDaemon(true);
  }

  /** Starts the client and waits for it. */
  GridClient await(Duration deadline) {
    thread.start();
    boolean hasEnded = false;
    try {
      long nanos = TimeUnit.NANOSECONDS.convert(deadline); // The longest if it is longer.
      hasEnded = GridProvider.INSTANCE.awaitEnd(started, nanos);
    } finally {
      if (!hasEnded) { // Or this thread was interrupted.
        giveUp(deadline);
      }
    }
    return Rpc.await(started);
  }

  private void giveUp(Duration deadline) {
    GridException late =
        new GridException(
            Status.TIMEOUT,
            ("client %s did not connect to cluster %s at %s within %.1f s; look whether a member"
                    + " answers there, and whether one of the cluster is stopped")
                .formatted(
                    hazelgrad.name(),
                    config.getClusterName(),
                    config.getNetworkConfig().getAddresses(),
                    TimeUnit.NANOSECONDS.convert(deadline) / 1e9));
    if (started.completeExceptionally(late)) {
      thread.interrupt();
      HazelcastInstance seen = client;
      if (seen != null) {
        seen.shutdown();
      }
    }
  }

  private void run() {
    try {
      GridClient fresh = connect();
      if (!started.complete(fresh)) {
        fresh.close();
      }
    } catch (Throwable e) {
      started.completeExceptionally(e);
    }
  }

  private GridClient connect() {
    HazelcastInstance fresh;
    try {
      fresh = HazelcastClient.newHazelcastClient(config);
    } catch (RuntimeException e) {
      throw new GridException(
          Status.BAD_CONFIG, "the Hazelcast client did not connect: " + e.getMessage(), e);
    }
    client = fresh;
    try {
      if (started.isDone()) {
        throw new GridException(Status.CANCELLED, "the caller has given up");
      }
      return new GridClient(fresh, ClientConnection.over(fresh, config, hazelgrad));
    } catch (Throwable e) {
      fresh.shutdown();
      throw e;
    }
  }
}
