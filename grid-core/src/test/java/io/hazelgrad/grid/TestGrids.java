package io.hazelgrad.grid;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** A cluster of its own on loopback, whose members are grids in this JVM. Closing ends them all. */
public final class TestGrids implements AutoCloseable {
  private static final int MEMBERS = 6;
  private static final int LOWEST_PORT = 20_000;
  private static final int HIGHEST_PORT = 32_000;
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private final String cluster =
      "grid-core-" + ProcessHandle.current().pid() + "-" + CLUSTERS.incrementAndGet();
  private final List<Integer> ports = freePorts();
  private final Deque<Grid> grids = new ArrayDeque<>();
  private final Deque<HazelcastInstance> instances = new ArrayDeque<>();
  private int members;

  /** Starts a worker that allows {@link Calls} by its annotation. */
  public Grid join(String name) {
    return join(HazelgradConfig.named(name));
  }

  public Grid join(HazelgradConfig.Builder worker) {
    return join(worker, config());
  }

  /** Starts a worker with a configuration of its own. */
  Grid join(HazelgradConfig.Builder worker, Config config) {
    Grid grid = Grid.join(worker.hazelcast(config).build());
    grids.push(grid);
    return grid;
  }

  /** Starts a member that is no worker. */
  HazelcastInstance start(Config config) {
    HazelcastInstance instance = Hazelcast.newHazelcastInstance(config);
    instances.push(instance);
    return instance;
  }

  /** Makes a prepared member a worker. */
  Grid on(HazelcastInstance instance) {
    Grid grid = Grid.on(instance);
    grids.push(grid);
    return grid;
  }

  /** Returns the configuration of the next member, not prepared, which joins earlier ones. */
  Config config() {
    // Hazelcast waits a second if it looks for other members in vain.
    return config(Math.min(members + 1, MEMBERS));
  }

  /** Returns the configuration of a member that is started beside others. */
  Config configAtOnce() {
    return config(MEMBERS);
  }

  private Config config(int known) {
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.partition.count", "11");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setCooperativeThreadCount(1);
    config.getNetworkConfig().setPort(ports.get(members++ % MEMBERS)).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(2);
    ports.subList(0, known).forEach(port -> join.getTcpIpConfig().addMember("127.0.0.1:" + port));
    return config;
  }

  /**
   * Reserves ports below those of outgoing connections, as the launcher's {@code Endpoint} does.
   * They are in TIME_WAIT for a minute: only a server that reuses addresses, as Hazelcast, can bind
   * them.
   */
  private static List<Integer> freePorts() {
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < MEMBERS) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
      if (!ports.contains(port) && isReserved(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  private static boolean isReserved(int port) {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket()) {
      server.setReuseAddress(false); // Fails for a port in TIME_WAIT.
      server.bind(new InetSocketAddress(here, port));
      server.setReuseAddress(true); // Lets a server bind it later.
      Socket client = new Socket(here, port);
      server.accept().close(); // Before the client, so that TIME_WAIT is at this end.
      client.close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Ends all members the fast way; tests of leaving close their grids themselves. */
  @Override
  public void close() {
    for (Grid grid : grids) {
      grid.hazelcast().getLifecycleService().terminate();
      grid.close();
    }
    instances.forEach(instance -> instance.getLifecycleService().terminate());
    Signals.forget();
  }
}
