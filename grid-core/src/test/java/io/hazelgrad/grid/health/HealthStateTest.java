package io.hazelgrad.grid.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.group.LostWorkers.Lost;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests of the health of a worker that tries to join anew. */
class HealthStateTest {
  private static final Health.Quorum HELD = new Health.Quorum(true, 3, 0);
  private static final Health.Quorum LOST = new Health.Quorum(false, 3, 2);

  @Test
  void workerIsFencedWhileItHasTriedToJoinForAMinute() {
    assertThat(Health.afterFence(Duration.ofSeconds(60), HELD)).isEqualTo(Health.State.FENCED);
  }

  @Test
  void workerIsStuckWhenItHasTriedToJoinForLonger() {
    assertThat(Health.afterFence(Duration.ofSeconds(61), HELD)).isEqualTo(Health.State.STUCK);
  }

  @Test
  void reportNamesLostWorkersAndCommandWhenTheyMayNotComeBack() throws Exception {
    Health suspended = new Health("w1", Health.State.SUSPENDED, 1, LOST);
    Lost lost = new Lost("w2", new UUID(0, 1), "10.0.0.2:5801");
    assertThat(HealthEndpoint.json(suspended, List.of(lost)))
        .contains("w2 (10.0.0.2:5801)", "hazelgrad force-leave w2 --join");
  }

  @Test
  void workerIsFencedHoweverLongItLacksTheQuorum() {
    assertThat(Health.afterFence(Duration.ofHours(1), LOST)).isEqualTo(Health.State.FENCED);
  }
}
