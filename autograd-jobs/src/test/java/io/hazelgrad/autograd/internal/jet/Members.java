package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Some Hazelcast members in this JVM, on loopback; member n hosts worker n, from 0. */
final class Members implements AutoCloseable {
  private final String cluster = "jet-test-" + UUID.randomUUID();
  private final int partitions;
  private final List<String> addresses = new ArrayList<>();
  private final List<HazelcastInstance> members = new ArrayList<>();
  private final List<Multiplier> workers = new ArrayList<>();

  Members(int count, int partitions) {
    this.partitions = partitions;
    for (int i = 0; i < count; i++) {
      start();
    }
  }

  private void start() {
    int port = freePort();
    addresses.add("127.0.0.1:" + port);
    Config config = new Config();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.partition.count", String.valueOf(partitions));
    JetPassScheduler.prepare(config);
    config.setProperty("hazelcast.graceful.shutdown.max.wait", "20");
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(port).setPortAutoIncrement(false);
    network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(addresses);
    config.getJetConfig().setCooperativeThreadCount(1);
    config.getSerializationConfig().setJavaSerializationFilterConfig(filter());
    Multiplier worker = new Multiplier(members.size());
    config.getUserContext().put(PassParticipant.USER_CONTEXT_KEY, worker);
    workers.add(worker);
    members.add(Hazelcast.newHazelcastInstance(config));
  }

  /** Returns the filter of a real member. */
  private static JavaSerializationFilterConfig filter() {
    JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig();
    filter.setDefaultsDisabled(true);
    filter.getWhitelist().addPrefixes("io.hazelgrad.", "com.hazelcast.", "java.", "[");
    return filter;
  }

  HazelcastInstance member(int index) {
    return members.get(index);
  }

  /** Starts a client, which the caller shuts down. */
  HazelcastInstance client() {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getNetworkConfig().addAddress(addresses.toArray(String[]::new));
    config
        .getSerializationConfig()
        .addDataSerializableFactory(
            AutogradSerializerFactory.FACTORY_ID, new AutogradSerializerFactory());
    return HazelcastClient.newHazelcastClient(config);
  }

  List<HazelcastInstance> running() {
    return members.stream().filter(each -> each.getLifecycleService().isRunning()).toList();
  }

  Multiplier worker(long id) {
    return workers.get((int) id);
  }

  List<Multiplier> workers() {
    return workers;
  }

  /** Returns which member acts for which worker. */
  Map<Long, UUID> hosts() {
    Map<Long, UUID> hosts = new HashMap<>();
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).getLifecycleService().isRunning()) {
        hosts.put((long) i, members.get(i).getCluster().getLocalMember().getUuid());
      }
    }
    return hosts;
  }

  @Override
  public void close() {
    members.forEach(each -> each.getLifecycleService().terminate());
    workers.forEach(Multiplier::close);
  }

  /** Finds a port below those that the system gives to outgoing connections. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Somebody has it: the next one.
      }
    }
  }
}
