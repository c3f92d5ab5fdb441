package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.HazelgradConfig.Engine;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A story of workers whose calls are operations. All other tests use tasks, unless {@code
 * -Dhazelgrad.engine=operations} says otherwise.
 */
@ExtendWith(Leftovers.class)
class CallsByOperationsTest {
  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B").engine(Engine.OPERATIONS).start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void workersCallEachOtherAndShareAnObject() {
    assertThat(cluster.grid().rpc().sync("A", Counter::askOther, "B")).isEqualTo("A>B");
    try (RRef<Counter> counter = cluster.rrefs().remote("A", Counter::new)) {
      assertThat(cluster.grid().rpc().sync("B", Counter::passOn, counter, "A", 3)).isEqualTo(3);
    }
  }

  @Test
  void clientCallsAndHoldsAnObject() {
    try (GridClient client = GridClient.connect(clientConfig());
        RRef<Counter> counter = client.rrefs().remote("A", Counter::new)) {
      assertThat(client.rpc().sync("B", Counter::askOther, "A")).isEqualTo("B>A");
      assertThat(counter.sync(Counter::add, 2)).isEqualTo(2);
    }
  }

  private static ClientConfig clientConfig() {
    ClientConfig config = new ClientConfig().setClusterName(cluster.processes().name());
    config.getNetworkConfig().addAddress(cluster.processes().worker("A").clientEndpoint());
    return config;
  }
}
