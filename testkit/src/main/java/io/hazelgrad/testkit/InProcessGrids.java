package io.hazelgrad.testkit;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.MemberSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private static final int MOST = 8;

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
    // Only members that are there: Hazelcast waits a second if it looks for others in vain.
    List<Endpoint> members =
        slots.values().stream().map(it -> new Endpoint("127.0.0.1", ports.get(2 * it))).toList();
    Path file = Path.of(System.getProperty("hazelgrad.home", ".."), "hazelcast.yaml");
    int port = ports.get(2 * slot);
    int clientPort = ports.get(2 * slot + 1);
    Config config =
        new MemberSettings(file, cluster, null, port, clientPort, null, members)
            .load()
            .setProperty("hazelcast.shutdownhook.enabled", "false")
            // Few partitions, because several members share one machine.
            .setProperty("hazelcast.partition.count", "31");
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setCooperativeThreadCount(1);
    return config;
  }

  private static List<Integer> freePorts() {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < 2 * MOST) {
      ports.add(Endpoint.freePort(ports));
    }
    return ports;
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
