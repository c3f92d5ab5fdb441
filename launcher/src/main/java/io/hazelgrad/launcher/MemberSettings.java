package io.hazelgrad.launcher;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.TcpIpConfig;
import com.hazelcast.instance.EndpointQualifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one member that replace those of the configuration file. A setting that is null
 * or empty leaves the file's value.
 *
 * @param host the address of the interface to listen on
 * @param port the port for members; no other is tried
 * @param clientPort the port for clients; no other is tried
 * @param announced the endpoint at which other members reach this one, if it is not its own
 * @param join the members to join by; the member waits for a single one until it answers
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
   * Returns the folder of hazelcast.yaml and jvm.flags, which the launcher script or build names.
   */
  public static Path home() {
    String home = System.getProperty(HOME);
    if (home == null) {
      throw new BadInputException(
          "the system property " + HOME + " is missing: it names the folder of hazelcast.yaml");
    }
    return Path.of(home);
  }

  static Path defaultFile() {
    return home().resolve("hazelcast.yaml");
  }

  static Path checked(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new BadInputException("there is no configuration file " + file);
    }
    return file;
  }

  /** Reads the file and applies these settings. */
  public Config load() {
    Config config = ConfigurationFile.read(checked(file));
    AdvancedNetworkConfig network = config.getAdvancedNetworkConfig();
    if (!network.isEnabled()) {
      throw new BadInputException(file + ": advanced-network is missing or not enabled; enable it");
    }
    if (cluster != null) {
      config.setClusterName(cluster);
    }
    if (host != null && host.startsWith("127.")) {
      // A socket can listen on all of 127/8, but only 127.0.0.1 is an address of an interface.
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
        // Else a member that gets no answer would start a cluster of its own.
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
