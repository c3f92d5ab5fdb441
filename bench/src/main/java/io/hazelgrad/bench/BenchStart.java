package io.hazelgrad.bench;

import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.group.Shutdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** The part of one JVM in the start of a further cluster by {@link StartupBench}. */
@RemoteFunctions
public final class BenchStart {
  private static final String LOOPBACK = "127.0.0.1";

  private BenchStart() {}

  /** Returns a free port. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
      Polling.until("all have joined", () -> grid.workers().size() == count);
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
  private static Config configuration(String cluster, int index, List<Integer> ports) {
    String home =
        Objects.requireNonNull(System.getProperty("hazelgrad.home"), "no property hazelgrad.home");
    Config config = HazelgradConfig.readYaml(Path.of(home, "hazelcast.yaml"));
    config.setClusterName(cluster);
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    listen(config, EndpointQualifier.MEMBER, ports.get(index));
    listen(config, EndpointQualifier.CLIENT, freePort());
    String first = LOOPBACK + ":" + ports.get(0);
    TcpIpConfig known = config.getAdvancedNetworkConfig().getJoin().getTcpIpConfig();
    known.setMembers(List.of(first));
    if (index > 0) {
      known.setRequiredMember(first); // Else it could start a cluster of its own.
    }
    return config;
  }

  private static void listen(Config config, EndpointQualifier which, int port) {
    EndpointConfig found = config.getAdvancedNetworkConfig().getEndpointConfigs().get(which);
    if (!(found instanceof ServerSocketEndpointConfig server)) {
      throw new IllegalStateException("no server socket for " + which + " in hazelcast.yaml");
    }
    server.setPort(port).setPortAutoIncrement(false);
  }
}
