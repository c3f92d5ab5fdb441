package io.hazelgrad.tests.rref;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import io.hazelgrad.rref.Durability;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Test of durable objects while a member with backups is frozen. Hazelcast would stop waiting for
 * it after 100 ms here, long before it counts as dead.
 */
@ExtendWith(Leftovers.class)
@Tag("slow")
class SilentBackupTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Number of RRefs of one owner in one partition before the next partition is used. */
  private static final int A_RUN = 256;

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster =
        JvmCluster.workers("A", "B")
            .jvmOptions("-Dhazelcast.operation.backup.timeout.millis=100")
            .start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void replyWaitsUntilBackupConfirms() {
    awaitBackups(); // Until then backups still move between the members.
    RRef<DurableCounter> counter = tallyWithBackupOnB();
    cluster.freeze("B");

    CompletableFuture<Answer> answer =
        counter.async(DurableCounter::add, 1).handle(SilentBackupTest::answer);

    assertThat(answer.join()).isIn(Answer.WITHOUT_B, Answer.REFUSED);
    cluster.thaw("B");
    cluster.awaitAgreement("A", "B");
    assertThat(counter.sync(DurableCounter::add, 1)).isEqualTo(2);

    awaitBackups();
    cluster.kill("A");
    cluster.awaitAgreement("B");
    assertThat(counter.sync(DurableCounter::get)).isEqualTo(2);
    counter.close();
    cluster.startMissing();
    cluster.awaitAgreement("A", "B");
  }

  private static void awaitBackups() {
    Await.until(
        "every member has backups",
        PATIENCE,
        () -> cluster.grid().hazelcast().getPartitionService().isClusterSafe());
  }

  private static RRef<DurableCounter> tallyWithBackupOnB() {
    AtomicReference<RRef<DurableCounter>> found = new AtomicReference<>();
    Await.until(
        "an object of A has its backup on B",
        PATIENCE,
        () -> {
          for (int i = 0; i < A_RUN; i++) {
            cluster.rrefs().remote("A", DurableCounter::new).close();
          }
          RRef<DurableCounter> counter =
              cluster.rrefs().durable(Durability.EVERY_REPLY).remote("A", DurableCounter::new);
          counter.creation().join();
          if (hasBackupOn("B", counter)) {
            found.set(counter);
            return true;
          }
          counter.close();
          return false;
        });
    return found.get();
  }

  private static boolean hasBackupOn(String worker, RRef<?> rref) {
    HazelcastInstance hazelcast = cluster.grid().hazelcast();
    int partition = hazelcast.getPartitionService().getPartition(rref.id()).getPartitionId();
    Address backup =
        ((HazelcastInstanceProxy) hazelcast)
            .getOriginal()
            .node
            .getPartitionService()
            .getPartition(partition)
            .getReplicaAddress(1);
    return hazelcast.getCluster().getMembers().stream()
        .filter(member -> member.getAddress().equals(backup))
        .anyMatch(member -> member.getUuid().equals(cluster.grid().worker(worker).incarnation()));
  }

  private enum Answer {
    WITH_B_THERE,
    WITHOUT_B,
    REFUSED
  }

  private static Answer answer(@Nullable Integer sum, @Nullable Throwable failure) {
    if (failure != null) {
      assertThat(failure)
          .hasMessageContaining("TIMEOUT: Error on worker A: the backup of the value of")
          .hasMessageContaining("did not confirm it");
      return Answer.REFUSED;
    }
    assertThat(sum).isEqualTo(1);
    return cluster.grid().hazelcast().getCluster().getMembers().size() == 3
        ? Answer.WITH_B_THERE
        : Answer.WITHOUT_B;
  }
}
