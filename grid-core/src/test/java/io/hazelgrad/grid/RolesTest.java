package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.ProbeExtension.Probe;
import io.hazelgrad.grid.group.Role;
import io.hazelgrad.grid.group.Roles;
import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.group.ShutdownReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Roles, and calls to those who have them. */
class RolesTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  private static GridException failure(Runnable work) {
    return catchThrowableOfType(GridException.class, work::run);
  }

  @Test
  void callsReachWorkersOfRoleInTurnOrAll() {
    Grid a = grids.join(HazelgradConfig.named("a").roles("trainer"));
    Grid b = grids.join(HazelgradConfig.named("b").roles("ranker", "trainer"));
    Grid c = grids.join(HazelgradConfig.named("c").roles("ranker"));
    Role ranker = Roles.of(a).role("ranker");

    assertThat(ranker.workers()).containsExactly(b.worker(), c.worker());
    assertThat(Roles.of(c).all()).containsExactly("ranker", "trainer");
    assertThat(Roles.of(a).of(b.worker())).containsExactlyInAnyOrder("ranker", "trainer");
    assertThat(Stream.generate(() -> ranker.sync(Calls::worker)).limit(4))
        .containsExactly("b", "c", "b", "c");
    assertThat(ranker.syncAll(Calls::worker)).isEqualTo(Map.of("b", "b", "c", "c"));
    assertThat(ranker.asyncAll(Calls::length, "four").values())
        .allSatisfy(length -> assertThat(length.join()).isEqualTo(4));
    assertThat(ranker.next()).isEqualTo(b.worker());
    assertThat(failure(() -> ranker.sync(Calls::throwing, "checked")).status())
        .isEqualTo(Status.USER_ERROR);

    GridException nobody = failure(() -> Roles.of(a).role("cook").sync(Calls::worker));
    assertThat(nobody.status()).isEqualTo(Status.UNKNOWN_WORKER);
    assertThat(nobody)
        .hasMessage(
            "no living worker has the role \"cook\";"
                + " the roles of living workers are [ranker, trainer]");
    assertThat(failure(() -> HazelgradConfig.named("x").roles("a b"))).hasMessageContaining("a b");
  }

  @Test
  void callIsAcceptedWhenItsCallerHasManyRoles() {
    String[] roles = IntStream.range(0, 100).mapToObj(i -> "role" + i).toArray(String[]::new);
    Grid a = grids.join(HazelgradConfig.named("a").roles(roles));
    grids.join("b");
    assertThat(a.rpc().sync("b", Calls::worker)).isEqualTo("b");
  }

  @Test
  void workerIsSkippedWhenGone() {
    Grid a = grids.join("a");
    Grid b = grids.join(HazelgradConfig.named("b").roles("ranker"));
    Grid c = grids.join(HazelgradConfig.named("c").roles("ranker"));
    Role ranker = Roles.of(a).role("ranker");

    CompletableFuture<String> running = ranker.async(Calls::block, "role");
    Signals.named("role").awaitStarted();
    b.hazelcast().getLifecycleService().terminate();
    GridException lost = failure(() -> Rpc.await(running));
    for (int i = 0; i < 10; i++) {
      assertThat(ranker.sync(Calls::worker)).isEqualTo("c");
    }
    assertThat(lost.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(lost.mayHaveRun()).isTrue();
    Signals.named("role").release();

    Eventually.until("c heard of b", () -> Probe.of(c).lost.contains(b.worker()));
    CompletableFuture<String> last = a.rpc().async("c", Calls::block, "leaving");
    Signals.named("leaving").awaitStarted();
    CompletableFuture<ShutdownReport> leaving = Shutdown.of(c).aloneAsync(Duration.ofSeconds(20));
    Eventually.until("c is passed over", () -> ranker.workers().isEmpty());
    assertThat(failure(() -> ranker.sync(Calls::worker)).status()).isEqualTo(Status.UNKNOWN_WORKER);
    assertThat(a.rpc().sync("c", Calls::worker)).as("by name it still serves").isEqualTo("c");
    Signals.named("leaving").release();
    assertThat(last.join()).isEqualTo("released");
    assertThat(Rpc.await(leaving).isClean()).isTrue();
    assertThat(List.of(a.worker())).isEqualTo(a.workers());
  }
}
