package io.hazelgrad.cli;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.Grid;
import java.util.ArrayList;
import java.util.List;

/** Configurations of thin clients for a grid that this JVM has joined. */
public final class LocalClients {
  private LocalClients() {}

  /** Returns the configuration of a client that connects to the other workers of a grid. */
  public static ClientConfig config(Grid grid) {
    return config(grid.hazelcast().getConfig().getClusterName(), endpoints(grid));
  }

  /** Returns the configuration of a client that connects to these endpoints of a cluster. */
  public static ClientConfig config(String cluster, List<String> endpoints) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    endpoints.forEach(config.getNetworkConfig()::addAddress);
    return config;
  }

  /** Returns the client endpoints of the other workers. */
  public static List<String> endpoints(Grid grid) {
    List<String> endpoints = new ArrayList<>();
    for (Member member : grid.hazelcast().getCluster().getMembers()) {
      Address address = member.getAddressMap().get(EndpointQualifier.CLIENT);
      if (address != null && !member.localMember()) {
        endpoints.add(address.getHost() + ":" + address.getPort());
      }
    }
    return endpoints;
  }
}
