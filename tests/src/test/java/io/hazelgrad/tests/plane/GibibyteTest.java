package io.hazelgrad.tests.plane;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Rpc;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Test of a tensor of 1 GiB between two workers. In chunks it needs at most half of the heap. Each
 * verification sends a quarter of it, in {@link PlaneOfJvmsTest}.
 *
 * <p>Memory that a virtual machine has not touched since its start is slow: this test once waited 8
 * s for the first gibibyte, and once more than a minute. So the calls have minutes, and the test is
 * not part of each verification.
 */
@Tag("slow")
@ExtendWith(Leftovers.class)
class GibibyteTest {
  private static final int GIB = 1 << 30;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void gibibyteTravelsThroughSharedMemory() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B").jvmOptions("-Xmx2g").start()) {
      Rpc rpc = cluster.grid().rpc().within(PATIENCE);
      String sum = rpc.sync("A", TensorFunctions::sumMadeHere, GIB, 3);
      assertThat(rpc.sync("A", TensorFunctions::sumAt, "B", GIB, 3)).isEqualTo(sum + " lent");
    }
  }

  @Test
  void gibibyteTravelsInChunks() {
    try (JvmCluster cluster =
        JvmCluster.workers("A", "B")
            .jvmOptions("-Xmx2500m", "-Dhazelgrad.plane.shared-bytes=0")
            .start()) {
      Rpc rpc = cluster.grid().rpc().within(PATIENCE);
      String sum = rpc.sync("A", TensorFunctions::sumMadeHere, GIB, 3);
      assertThat(rpc.sync("A", TensorFunctions::sumAt, "B", GIB, 3)).isEqualTo(sum + " copied");
    }
  }
}
