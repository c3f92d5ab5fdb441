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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private final String cluster =
      "tests-" + ProcessHandle.current().pid() + "-" + CLUSTERS.incrementAndGet();
  private final Set<Integer> taken = new HashSet<>();
  private final Map<String, Grid> grids = new LinkedHashMap<>();
  private final UnaryOperator<HazelgradConfig.Builder> settings;
  private final Consumer<Config> change;
  private final Map<String, Ports> ports = new HashMap<>();

  private record Ports(int member, int client) {}

  private InProcessGrids(UnaryOperator<HazelgradConfig.Builder> settings, Consumer<Config> change) {
    this.settings = settings;
    this.change = change;
  }

  /** Starts workers of these names. */
  public static InProcessGrids join(String... names) {
    return join(builder -> builder, names);
  }

  /** Starts workers of these names, with further settings. */
  public static InProcessGrids join(
      UnaryOperator<HazelgradConfig.Builder> settings, String... names) {
    return join(new InProcessGrids(settings, config -> {}), names);
  }

  /** Starts workers of these names, after a change of their members' configurations. */
  public static InProcessGrids joinMembers(Consumer<Config> change, String... names) {
    return join(new InProcessGrids(builder -> builder, change), names);
  }

  private static InProcessGrids join(InProcessGrids grids, String... names) {
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
    ports.keySet().retainAll(grids.keySet());
    ports.put(name, new Ports(Endpoint.freePort(taken), Endpoint.freePort(taken)));
    Grid grid = Grid.join(builder(name).hazelcast(config(name)).build());
    grids.put(name, grid);
    return grid;
  }

  /** Returns a worker's grid. */
  public Grid grid(String name) {
    return Objects.requireNonNull(grids.get(name), name);
  }

  /** Connects a client of this name; the test closes it. */
  public GridClient client(String name) {
    return GridClient.connect(clientConfig(), builder(name).build());
  }

  ClientConfig clientConfig() {
    ClientConfig config = new ClientConfig().setClusterName(cluster);
    grids.keySet().forEach(each -> config.getNetworkConfig().addAddress(clientEndpoint(each)));
    config.setProperty("hazelcast.logging.type", "slf4j");
    return config;
  }

  /** Returns the names of the workers that have not ended. */
  Set<String> names() {
    return Set.copyOf(grids.keySet());
  }

  /** Returns the ports that workers were given. */
  Set<Integer> ports() {
    return Set.copyOf(taken);
  }

  private HazelgradConfig.Builder builder(String name) {
    return settings.apply(
        HazelgradConfig.named(name)
            .reconcileEvery(Duration.ofMillis(500))
            .callTimeout(Duration.ofSeconds(20)));
  }

  /** Returns the endpoint of a worker for clients, as {@code host:port}. */
  public String clientEndpoint(String worker) {
    return "127.0.0.1:" + ports(worker).client();
  }

  /** Ends a worker without a leave and without releases, like the death of a process. */
  public void kill(String name) {
    Grid grid = Objects.requireNonNull(grids.remove(name), name);
    grid.hazelcast().getLifecycleService().terminate();
    grid.close();
  }

  /** Ends a worker, which hands its data over before. */
  void leave(String name) {
    Objects.requireNonNull(grids.remove(name), name).close();
  }

  private Ports ports(String worker) {
    return Objects.requireNonNull(ports.get(worker), worker);
  }

  /** Returns the configuration of the project with the cluster name and ports of this grid. */
  private Config config(String worker) {
    // Only members that are there: Hazelcast waits a second if it looks for others in vain.
    List<Endpoint> members =
        ports.values().stream().map(it -> new Endpoint("127.0.0.1", it.member())).toList();
    Path file = KitHome.prepare().resolve("hazelcast.yaml");
    Ports own = ports(worker);
    Config config =
        new MemberSettings(file, cluster, null, own.member(), own.client(), null, members)
            .load()
            .setProperty("hazelcast.shutdownhook.enabled", "false")
            // Few partitions, because several members share one machine.
            .setProperty("hazelcast.partition.count", "31");
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setCooperativeThreadCount(1);
    change.accept(config);
    return config;
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
