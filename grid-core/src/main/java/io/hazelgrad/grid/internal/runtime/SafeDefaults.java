package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;

/**
 * Completes a Hazelcast configuration. If it says nothing about the network, its member listens on
 * loopback, on a port of our own, and looks for others on this machine only. Hazelcast's own
 * defaults would listen on every interface and take part in any cluster that they find.
 */
final class SafeDefaults {
  private static final String LOOPBACK = "127.0.0.1";
  private static final String BIND_ANY = "hazelcast.socket.bind.any";
  private static final int PORT = 5801;
  private static final String CLUSTER = "hazelgrad";

  private SafeDefaults() {}

  static void complete(Config config) {
    // The protocol assumes that a worker that was silent for longer than 10 s does not come back.
    setDefault(config, "hazelcast.heartbeat.interval.seconds", "1");
    setDefault(config, "hazelcast.max.no.heartbeat.seconds", "5");
    // Joining asynchronously, a member whose silence is noticed during a join is never removed.
    setDefault(config, "hazelcast.async.join.strategy.enabled", "false");
    // Connections are made when they are needed. Hazelcast would wait for those to all others, up
    // to
    // 120 s, and at least 1 s if one is still being made.
    setDefault(config, "hazelcast.connect.all.wait.seconds", "0");
    if (!saysNothingAboutNetwork(config)) {
      return;
    }
    NetworkConfig network = config.getNetworkConfig();
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember(LOOPBACK);
    network.getInterfaces().setEnabled(true).addInterface(LOOPBACK);
    config.setProperty(BIND_ANY, "false");
    setDefault(config, "hazelcast.tcp.join.port.try.count", "16");
    // As in hazelcast.yaml: members with different numbers do not join each other.
    setDefault(config, "hazelcast.partition.count", "61");
    if (network.getPort() == NetworkConfig.DEFAULT_PORT) {
      network.setPort(PORT);
    }
    if (config.getClusterName().equals(Config.DEFAULT_CLUSTER_NAME)) {
      config.setClusterName(CLUSTER);
    }
  }

  private static boolean saysNothingAboutNetwork(Config config) {
    NetworkConfig network = config.getNetworkConfig();
    return !config.getAdvancedNetworkConfig().isEnabled()
        && network.getJoin().isAutoDetectionEnabled() // So no other way to join is configured.
        && !network.getInterfaces().isEnabled()
        && network.getPublicAddress() == null
        && config.getProperty(BIND_ANY) == null;
  }

  /** Sets a property that the configuration does not have. */
  static void setDefault(Config config, String property, String value) {
    if (config.getProperty(property) == null) {
      config.setProperty(property, value);
    }
  }
}
