package io.hazelgrad.spring;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.HazelcastInstance;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications of tests: each has a member on loopback, in a cluster of this test alone. */
final class TestMember {
  private TestMember() {}

  /** Returns a runner with the auto-configurations of the starter and of Hazelcast. */
  static ApplicationContextRunner withoutMember() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HazelcastAutoConfiguration.class,
                HazelgradMemberAutoConfiguration.class,
                HazelgradAutoConfiguration.class,
                HazelgradHealthAutoConfiguration.class,
                HazelgradMetricsAutoConfiguration.class));
  }

  /** Returns a runner of an application of this name, with the first member of a cluster. */
  static ApplicationContextRunner first(String name) {
    return withConfig(name, config("tests-" + UUID.randomUUID()));
  }

  /** Returns a runner of an application of this name, whose member joins another one. */
  static ApplicationContextRunner joining(String name, HazelcastInstance other) {
    Config config = config(other.getConfig().getClusterName());
    var address = other.getCluster().getLocalMember().getAddress();
    config
        .getNetworkConfig()
        .getJoin()
        .getTcpIpConfig()
        .addMember(address.getHost() + ":" + address.getPort());
    return withConfig(name, config);
  }

  private static ApplicationContextRunner withConfig(String name, Config config) {
    return withoutMember()
        .withPropertyValues("spring.application.name=" + name)
        .withBean(Config.class, () -> config);
  }

  private static Config config(String cluster) {
    Config config = new Config().setClusterName(cluster);
    config.setProperty("hazelcast.partition.count", "31");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    // Also for the first one: members compare how they join.
    join.getTcpIpConfig().setEnabled(true);
    return config;
  }
}
