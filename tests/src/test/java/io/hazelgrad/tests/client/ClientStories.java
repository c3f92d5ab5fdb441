package io.hazelgrad.tests.client;

import io.hazelgrad.grid.Function;
import io.hazelgrad.tests.Await;
import io.hazelgrad.tests.JvmCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Two workers that give up a lost client after 4 s, and clients in JVMs of their own. */
abstract class ClientStories {
  static final Duration SOON = Duration.ofSeconds(40);
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
    return new ClientJvm(clusterName(), cluster.processes().clientEndpoint("A"));
  }

  static String clusterName() {
    return cluster.grid().hazelcast().getConfig().getClusterName();
  }

  static int runs(String worker, String entry) {
    return cluster.grid().rpc().sync(worker, Ledger::runs, entry);
  }

  static void awaitRun(String worker, String entry) {
    Await.until(entry + " runs", SOON, () -> runs(worker, entry) == 1);
  }

  static void release(String worker, String entry) {
    cluster.grid().rpc().sync(worker, Function.action(Ledger::release), entry);
  }
}
