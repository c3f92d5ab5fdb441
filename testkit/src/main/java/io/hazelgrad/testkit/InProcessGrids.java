package io.hazelgrad.testkit;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A grid whose workers all run in this JVM, as members with real sockets on loopback. It serves
 * tests that neither kill processes nor need separate ones.
 *
 * <pre>{@code
 * try (InProcessGrids grids = InProcessGrids.join("a", "b")) {
 *   grids.grid("a").rpc().sync("b", Math::abs, -1);
 * }
 * }</pre>
 */
public final class InProcessGrids implements AutoCloseable {
  /** The most workers that one grid may have at a time. */
  private static final int MOST = 8;

  private static final int LOWEST_PORT = 20_000;
  private static final int HIGHEST_PORT = 32_000;
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private final String cluster =
      "tests-" + ProcessHandle.current().pid() + "-" + CLUSTERS.incrementAndGet();
  private final List<Integer> ports = freePorts();
  private final Map<String, Grid> grids = new LinkedHashMap<>();
  private final UnaryOperator<HazelgradConfig.Builder> settings;
  private final Map<String, Integer> slots = new HashMap<>();

  private InProcessGrids(UnaryOperator<HazelgradConfig.Builder> settings) {
    this.settings = settings;
  }

  /** Starts workers of these names. */
  public static InProcessGrids join(String... names) {
    return join(builder -> builder, names);
  }

  /** Starts workers of these names, with further settings. */
  public static InProcessGrids join(
      UnaryOperator<HazelgradConfig.Builder> settings, String... names) {
    InProcessGrids grids = new InProcessGrids(settings);
    try {
      for (String name : names) {
        Grid unused = grids.add(name);
      }
      return grids;
    } catch (Throwable e) {
      grids.close();
      throw e;
    }
  }

  /** Starts one more worker. */
  public Grid add(String name) {
    Grid grid = Grid.join(builder(name).hazelcast(config(freeSlot(name))).build());
    grids.put(name, grid);
    return grid;
  }

  /** Returns a worker's grid. */
  public Grid grid(String name) {
    return Objects.requireNonNull(grids.get(name), name);
  }

  /** Connects a client of this name; the test closes it. */
  public GridClient client(String name) {
    ClientConfig config = new ClientConfig().setClusterName(cluster);
    for (String worker : grids.keySet()) {
      config.getNetworkConfig().addAddress(clientEndpoint(worker));
    }
    config.setProperty("hazelcast.logging.type", "slf4j");
    return GridClient.connect(config, builder(name).build());
  }

  private HazelgradConfig.Builder builder(String name) {
    return settings.apply(
        HazelgradConfig.named(name)
            .reconcileEvery(Duration.ofMillis(500))
            .callTimeout(Duration.ofSeconds(20)));
  }

  /** Returns the endpoint of a worker for clients, as {@code host:port}. */
  public String clientEndpoint(String worker) {
    int slot = Objects.requireNonNull(slots.get(worker), worker);
    return "127.0.0.1:" + ports.get(2 * slot + 1);
  }

  /** Ends a worker without a leave and without releases, like the death of a process. */
  public void kill(String name) {
    Grid grid = Objects.requireNonNull(grids.remove(name), name);
    grid.hazelcast().getLifecycleService().terminate();
    grid.close();
  }

  /** Reserves ports for a worker. The ports of workers that have ended are free again. */
  private int freeSlot(String name) {
    slots.keySet().retainAll(grids.keySet());
    for (int slot = 0; slot < MOST; slot++) {
      if (!slots.containsValue(slot)) {
        slots.put(name, slot);
        return slot;
      }
    }
    throw new IllegalStateException("at most " + MOST + " workers at a time: " + grids.keySet());
  }

  /** Returns the configuration of the project with the cluster name and ports of this grid. */
  private Config config(int slot) {
    Config config =
        HazelgradConfig.readYaml(
                Path.of(System.getProperty("hazelgrad.home", ".."), "hazelcast.yaml"))
            .setClusterName(cluster)
            .setProperty("hazelcast.shutdownhook.enabled", "false")
            .setProperty(
                "hazelcast.partition.count",
                "31"); // Few partitions, because several members share one machine.
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setCooperativeThreadCount(1);
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    // Only members that are there: Hazelcast waits a second if it looks for others in vain.
    network
        .getJoin()
        .getTcpIpConfig()
        .setMembers(slots.values().stream().map(s -> "127.0.0.1:" + ports.get(2 * s)).toList());
    setPort(network, EndpointQualifier.MEMBER, ports.get(2 * slot));
    setPort(network, EndpointQualifier.CLIENT, ports.get(2 * slot + 1));
    return config;
  }

  private static void setPort(AdvancedNetworkConfig network, EndpointQualifier which, int port) {
    if (network.getEndpointConfigs().get(which) instanceof ServerSocketEndpointConfig server) {
      server.setPort(port).setPortAutoIncrement(false);
    } else {
      throw new IllegalStateException("hazelcast.yaml has no server socket for " + which);
    }
  }

  /**
   * Returns free ports below those that the system gives to outgoing connections. An outgoing
   * connection could otherwise take a port before its worker starts.
   */
  private static List<Integer> freePorts() {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < 2 * MOST) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
      if (!ports.contains(port) && isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends all workers without a hand-over, in the reverse order of their start. */
  @Override
  public void close() {
    List<String> all = new ArrayList<>(grids.keySet());
    for (int i = all.size() - 1; i >= 0; i--) {
      kill(all.get(i));
    }
  }
}
