package io.hazelgrad.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.JoinAttempts;
import io.hazelgrad.launcher.MemberSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of joining by one member when the start of a worker fails. */
@Timeout(120)
class JoinAttemptsTest {
  private final Set<Integer> ports = new HashSet<>();
  private int attempts;

  /** Returns a worker for which Hazelcast looks for members for a second only. */
  private HazelgradConfig worker(int port, List<Endpoint> join) {
    Config config =
        new MemberSettings(
                MemberSettings.home().resolve("hazelcast.yaml"),
                "attempts-" + UUID.randomUUID(),
                "127.0.0.1",
                port,
                Endpoint.freePort(ports),
                null,
                join)
            .load();
    config.setProperty("hazelcast.max.join.seconds", "1");
    return HazelgradConfig.named("late").hazelcast(config).build();
  }

  /** Nobody listens at the member by which the first attempt joins. */
  @Test
  void nextAttemptJoinsWhenHazelcastGaveUp() {
    try (Grid grid =
        JoinAttempts.join(
            () -> {
              List<Endpoint> nobody = List.of(new Endpoint("127.0.0.1", Endpoint.freePort(ports)));
              return worker(Endpoint.freePort(ports), ++attempts == 1 ? nobody : List.of());
            })) {
      assertThat(grid.worker().name()).isEqualTo("late");
      assertThat(attempts).isEqualTo(2);
    }
  }

  @Test
  void otherFailureEndsFirstAttempt() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () ->
                  JoinAttempts.join(
                      () -> {
                        attempts++;
                        return worker(other.getLocalPort(), List.of());
                      }))
          .isInstanceOf(GridException.class)
          .hasMessageContaining(String.valueOf(other.getLocalPort()));
      assertThat(attempts).isOne();
    }
  }
}
