package io.hazelgrad.tests.rref;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Durable objects with two backups when two workers are killed at once. */
@ExtendWith(Leftovers.class)
class DurableBackupsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** An owner changes its partition after so many references; the last one is durable. */
  private static final int A_RUN = 256;

  private static final int ROUNDS = 8;

  @Test
  @Tag("slow")
  void noDurableObjectIsLostWhenTwoWorkersAreKilledAtOnceAndThereAreTwoBackups() {
    try (JvmCluster cluster = JvmCluster.workers("A", "B", "C", "D").durableBackups(2).start()) {
      awaitRest(cluster);
      List<RRef<DurableCounter>> counters = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        counters.add(counter(cluster, "A"));
        counters.add(counter(cluster, "B"));
      }
      for (int i = 0; i < counters.size(); i++) {
        assertThat(counters.get(i).sync(DurableCounter::add, i)).isEqualTo(i);
      }
      List.of("A", "B").forEach(cluster::freeze); // Neither sees the other one die.
      List.of("A", "B").forEach(cluster::kill);
      cluster.awaitAgreement("C", "D");
      for (int i = 0; i < counters.size(); i++) {
        assertThat(counters.get(i).sync(DurableCounter::add, 1)).isEqualTo(i + 1);
      }
      counters.forEach(RRef::close);
      cluster.startMissing();
      cluster.awaitPeace();
    }
  }

  /** Creates a counter in another partition than the last one of this owner. */
  private static RRef<DurableCounter> counter(JvmCluster cluster, String owner) {
    List<RRef<DurableCounter>> others = new ArrayList<>();
    for (int i = 1; i < A_RUN; i++) {
      others.add(cluster.rrefs().remote(owner, DurableCounter::new));
    }
    RRef<DurableCounter> counter =
        cluster.rrefs().durable(Durability.EVERY_REPLY).remote(owner, DurableCounter::new);
    counter.creation().join();
    others.forEach(other -> other.creation().join());
    others.forEach(RRef::close);
    return counter;
  }

  private static void awaitRest(JvmCluster cluster) {
    Await.until(
        "every partition has its backups",
        PATIENCE,
        () -> cluster.grid().hazelcast().getPartitionService().isClusterSafe());
  }
}
