package io.hazelgrad.tests.client;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.tests.SingleMemberRouting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Base class of tests with two workers that count a client as lost after 4 s, and with clients in
 * JVMs of their own.
 */
abstract class ClientTestBase {
  static final Duration SOON = Duration.ofSeconds(60);
  static final List<String> ALL = List.of("A", "B", JvmCluster.DRIVER);

  static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B").jvmOptions("-Dhazelgrad.client-grace=4").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static ClientJvm client() throws Exception {
    return new ClientJvm(clusterName(), cluster.processes().worker("A").clientEndpoint());
  }

  /** Connects a client with a connection to each member. */
  static GridClient connect(String name) {
    return GridClient.connect(
        config(cluster.processes().worker("A").clientEndpoint()),
        HazelgradConfig.named(name).build());
  }

  static CuttableProxy proxy(String worker) throws IOException {
    return new CuttableProxy(cluster.processes().worker(worker).clientEndpoint());
  }

  /** Connects a client with one connection at a time. */
  static GridClient single(CuttableProxy... ways) {
    return single(Stream.of(ways).map(CuttableProxy::endpoint).toArray(String[]::new));
  }

  /** Connects a client with one connection at a time. */
  static GridClient single(String... endpoints) {
    ClientConfig config = config(endpoints);
    SingleMemberRouting.set(config);
    return GridClient.connect(config, HazelgradConfig.named("single").build());
  }

  static ClientConfig config(String... endpoints) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(clusterName());
    config.getNetworkConfig().addAddress(endpoints);
    config.setProperty("hazelcast.logging.type", "slf4j");
    return config;
  }

  /** Waits until all workers know that a client is gone. */
  static void awaitGone(long client) {
    for (String worker : ALL) {
      Await.until(
          worker + " is told that client " + client + " has gone",
          SOON,
          () -> timesGone(worker, client) > 0);
    }
  }

  static int timesGone(String worker, long client) {
    return cluster.grid().rpc().sync(worker, CountedFunctions::timesGone, client);
  }

  static String clusterName() {
    return cluster.grid().hazelcast().getConfig().getClusterName();
  }

  static int runs(String worker, String entry) {
    return cluster.grid().rpc().sync(worker, CountedFunctions::runs, entry);
  }

  static void awaitRun(String worker, String entry) {
    Await.until(entry + " runs", SOON, () -> runs(worker, entry) == 1);
  }

  static void release(String worker, String entry) {
    cluster.grid().rpc().sync(worker, Function.action(CountedFunctions::release), entry);
  }
}
