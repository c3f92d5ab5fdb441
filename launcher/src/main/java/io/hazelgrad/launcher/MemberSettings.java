package io.hazelgrad.launcher;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.HazelgradConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one member changes of the grid's configuration file. Whatever is null or empty stays as the
 * file has it.
 *
 * @param file the configuration file
 * @param cluster the name of the cluster
 * @param host the interface to listen on
 * @param port the port for members; no other is tried
 * @param clientPort the port for clients; no other is tried
 * @param announced where other members reach this one, if not where it listens
 * @param join the members to ask; a single one is waited for until it is there
 */
public record MemberSettings(
    Path file,
    @Nullable String cluster,
    @Nullable String host,
    @Nullable Integer port,
    @Nullable Integer clientPort,
    @Nullable Endpoint announced,
    List<Endpoint> join) {
  private static final String HOME = "hazelgrad.home";

  /**
   * Returns the folder of hazelcast.yaml and jvm.flags, as the launcher or the build says: the root
   * of the checkout, or config in a distribution.
   */
  public static Path home() {
    String home = System.getProperty(HOME);
    if (home == null) {
      throw new BadInputException(
          "the system property " + HOME + " is missing: it names the folder of hazelcast.yaml");
    }
    return Path.of(home);
  }

  /** Returns the configuration file that the launcher's checkout or distribution has. */
  static Path defaultFile() {
    return home().resolve("hazelcast.yaml");
  }

  /** Reads the file and puts these settings in. */
  Config load() {
    if (!Files.isRegularFile(file)) {
      throw new BadInputException("there is no configuration file " + file);
    }
    Config config = HazelgradConfig.readYaml(file);
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    if (!network.isEnabled()) {
      throw new BadInputException(file + " has no advanced-network: it must have one, enabled");
    }
    if (cluster != null) {
      config.setClusterName(cluster);
    }
    if (host != null && host.startsWith("127.")) {
      // All of 127/8 can be listened on, but only 127.0.0.1 is found among the interfaces.
      config.setProperty("hazelcast.local.localAddress", host);
    }
    ServerSocketEndpointConfig members = server(network, EndpointQualifier.MEMBER);
    set(members, port);
    if (announced != null) {
      members.setPublicAddress(announced.toString());
    }
    set(server(network, EndpointQualifier.CLIENT), clientPort);
    if (!join.isEmpty()) {
      TcpIpConfig known = network.getJoin().getTcpIpConfig().setEnabled(true);
      known.setMembers(join.stream().map(Endpoint::toString).toList());
      if (join.size() == 1) {
        // Else a member that finds nobody there would begin a cluster of its own.
        known.setRequiredMember(join.get(0).toString());
      }
    }
    return config;
  }

  private ServerSocketEndpointConfig server(
      AdvancedNetworkConfig network, EndpointQualifier which) {
    EndpointConfig found = network.getEndpointConfigs().get(which);
    if (found instanceof ServerSocketEndpointConfig server) {
      return server;
    }
    throw new BadInputException(
        file + " has no server socket for " + which.getType() + " connections in advanced-network");
  }

  private void set(ServerSocketEndpointConfig server, @Nullable Integer own) {
    if (host != null) {
      server.getInterfaces().clear().setEnabled(true).addInterface(host);
    }
    if (own != null) {
      server.setPort(own).setPortAutoIncrement(false);
    }
  }
}
