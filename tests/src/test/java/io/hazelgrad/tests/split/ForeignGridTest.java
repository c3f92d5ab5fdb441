package io.hazelgrad.tests.split;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import io.hazelgrad.grid.internal.hazelcast.HazelcastQuorumMember;
import io.hazelgrad.grid.internal.quorum.Quorum;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A worker without quorum, and another grid at the address of a lost worker. */
class ForeignGridTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void workerOfAnotherGridGivesNoReport() {
    try (InProcessGrids one = InProcessGrids.join("a");
        InProcessGrids other = InProcessGrids.join("b")) {
      HazelcastQuorumMember member = new HazelcastQuorumMember(one.grid("a").hazelcast());
      Address address = other.grid("b").hazelcast().getCluster().getLocalMember().getAddress();
      Await.until("a is connected with b", PATIENCE, () -> member.isConnected(address));
      Quorum.Report report =
          new Quorum.Report(
              UUID.randomUUID(),
              List.of(),
              new Quorum.Agreement(0, List.of()),
              List.of(),
              false,
              false);
      assertThat(member.send(address, report, false))
          .failsWithin(PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .withMessageContaining("another grid");
    }
  }
}
