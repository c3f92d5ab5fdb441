package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Test of a tensor of 1 GiB between two workers. In chunks it needs at most half of the heap. */
@ExtendWith(Leftovers.class)
class GibibyteTest {
  private static final int GIB = 1 << 30;

  @Test
  void gibibyteTravelsThroughSharedMemory() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").jvmOptions("-Xmx2g").start()) {
      String sum = cluster.grid().rpc().sync("A", TensorFunctions::sumMadeHere, GIB, 3);
      assertThat(cluster.grid().rpc().sync("A", TensorFunctions::sumAt, "B", GIB, 3))
          .isEqualTo(sum + " lent");
    }
  }

  @Test
  @Tag("slow")
  void gibibyteTravelsInChunks() {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B")
            .jvmOptions("-Xmx2500m", "-Dhazelgrad.plane.shared-bytes=0")
            .start()) {
      String sum = cluster.grid().rpc().sync("A", TensorFunctions::sumMadeHere, GIB, 3);
      assertThat(cluster.grid().rpc().sync("A", TensorFunctions::sumAt, "B", GIB, 3))
          .isEqualTo(sum + " copied");
    }
  }
}
