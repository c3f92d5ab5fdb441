package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SplitTest {
  @Test
  void cutOff() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").cuttable().verbose().start()) {
      assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
      long start = System.nanoTime();
      cluster.split(List.of("A"), List.of("B", "driver"));
      cluster.awaitWorkers("B");
      System.err.println("LOST after " + (System.nanoTime() - start) / 1_000_000);
      assertThat(cluster.grid().rpc().sync("B", Counter::whoAmI)).isEqualTo("B");
      cluster.heal();
      start = System.nanoTime();
      cluster.awaitWorkers("A", "B");
      System.err.println("BACK after " + (System.nanoTime() - start) / 1_000_000);
      assertThat(cluster.grid().rpc().sync("A", Counter::whoAmI)).isEqualTo("A");
    }
  }
}
