package io.hazelgrad.tests.client;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.DiscoveryConfig;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.spi.discovery.DiscoveryNode;
import com.hazelcast.spi.discovery.SimpleDiscoveryNode;
import com.hazelcast.spi.discovery.integration.DiscoveryService;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.testkit.JvmCluster;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Client with a connection to every member, each through a {@link CuttableProxy}. */
final class CuttableClient implements AutoCloseable {
  private final Map<UUID, CuttableProxy> ways = new HashMap<>();
  private final GridClient client;

  CuttableClient(JvmCluster cluster, String name) throws Exception {
    List<DiscoveryNode> nodes = new ArrayList<>();
    for (Member member : cluster.grid().hazelcast().getCluster().getMembers()) {
      Address real = Objects.requireNonNull(member.getAddressMap().get(EndpointQualifier.CLIENT));
      CuttableProxy way = new CuttableProxy(real.getHost() + ":" + real.getPort());
      ways.put(member.getUuid(), way);
      nodes.add(new SimpleDiscoveryNode(real, address(way)));
    }
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster.grid().hazelcast().getConfig().getClusterName());
    config.getNetworkConfig().setDiscoveryConfig(found(nodes));
    config.setProperty("hazelcast.discovery.public.ip.enabled", "true");
    config.setProperty("hazelcast.logging.type", "slf4j");
    client = GridClient.connect(config, HazelgradConfig.named(name).build());
  }

  private static Address address(CuttableProxy way) throws UnknownHostException {
    int colon = way.endpoint().lastIndexOf(':');
    return new Address(
        way.endpoint().substring(0, colon), Integer.parseInt(way.endpoint().substring(colon + 1)));
  }

  /** Returns a discovery that gives the client these members with their public addresses. */
  private static DiscoveryConfig found(List<DiscoveryNode> nodes) {
    DiscoveryConfig config = new DiscoveryConfig();
    config.setDiscoveryServiceProvider(
        settings ->
            new DiscoveryService() {
              @Override
              public void start() {}

              @Override
              public Iterable<DiscoveryNode> discoverNodes() {
                return nodes;
              }

              @Override
              public void destroy() {}

              @Override
              public Map<String, String> discoverLocalMetadata() {
                return Map.of();
              }
            });
    return config;
  }

  GridClient get() {
    return client;
  }

  /** Breaks the connection to a worker's member until {@link #heal}. */
  void cutFrom(Worker worker) throws Exception {
    Objects.requireNonNull(ways.get(worker.incarnation())).block();
  }

  void cutFromAll() throws Exception {
    for (CuttableProxy way : ways.values()) {
      way.block();
    }
  }

  void heal() {
    ways.values().forEach(CuttableProxy::heal);
  }

  /** Returns whether it has a connection to every member. */
  boolean isFullyConnected() {
    return ways.values().stream().allMatch(CuttableProxy::isUsed);
  }

  @Override
  public void close() throws Exception {
    client.close();
    for (CuttableProxy way : ways.values()) {
      way.close();
    }
  }
}
