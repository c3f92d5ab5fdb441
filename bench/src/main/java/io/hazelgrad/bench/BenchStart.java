package io.hazelgrad.bench;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.MemberSettings;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The part of one JVM in the start of a further cluster by {@link StartupBench}. */
@RemoteFunctions
public final class BenchStart {
  private BenchStart() {}

  /** Returns a free port. */
  public static int freePort() {
    return Endpoint.freePort(new HashSet<>());
  }

  /**
   * Joins a cluster, calls its next worker, and shuts down together with all others. It waits for
   * the others, so it runs on a thread of its own.
   *
   * @param cluster the cluster's name
   * @param index the index of this worker
   * @param ports the ports of the workers; the first starts the cluster
   * @return the times of the three in ns
   */
  public static CompletableFuture<long[]> start(String cluster, int index, List<Integer> ports) {
    return CompletableFuture.supplyAsync(
        () -> time(cluster, index, ports), work -> new Thread(work, "bench-start").start());
  }

  private static long[] time(String cluster, int index, List<Integer> ports) {
    int count = ports.size();
    HazelgradConfig config =
        HazelgradConfig.named(name(index)).hazelcast(configuration(cluster, index, ports)).build();
    long begin = System.nanoTime();
    try (Grid grid = Grid.join(config)) {
      Bench.until("all have joined", () -> grid.workers().size() == count);
      long joined = System.nanoTime();
      grid.rpc().sync(name((index + 1) % count), Function.action(BenchFunctions::noop));
      long called = System.nanoTime();
      Shutdown.of(grid).together();
      return new long[] {joined - begin, called - joined, System.nanoTime() - called};
    }
  }

  private static String name(int index) {
    return "start" + index;
  }

  /** Returns the configuration of the checkout with this cluster's name and ports. */
  static Config configuration(String cluster, int index, List<Integer> ports) {
    Endpoint first = new Endpoint("127.0.0.1", ports.get(0));
    return new MemberSettings(
            MemberSettings.home().resolve("hazelcast.yaml"),
            cluster,
            null,
            ports.get(index),
            freePort(),
            null,
            List.of(first))
        .load()
        .setProperty("hazelcast.shutdownhook.enabled", "false");
  }
}
