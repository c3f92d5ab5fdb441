package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.HazelgradConfig.Engine;
import io.hazelgrad.grid.metrics.Metrics;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the engines that carry calls. */
class EngineTest {
  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  @Test
  void workersOfBothEnginesCallEachOther() {
    Grid tasks = grids.join(HazelgradConfig.named("tasks").engine(Engine.TASKS));
    Grid operations = grids.join(HazelgradConfig.named("operations").engine(Engine.OPERATIONS));

    assertThat(tasks.rpc().sync("operations", Calls::add, 1.0, 2.0)).isEqualTo(3.0);
    assertThat(operations.rpc().sync("tasks", Calls::add, 1.0, 2.0)).isEqualTo(3.0);
  }

  @Test
  void lateReplyArrivesAndLeavesNoRequestBehind() {
    Grid caller = grids.join(HazelgradConfig.named("caller").engine(Engine.TASKS));
    grids.join(HazelgradConfig.named("callee").engine(Engine.TASKS).maxRunning(1));
    CompletableFuture<String> first = caller.rpc().async("callee", Calls::block, "first");
    Signals.named("first").awaitStarted();
    CompletableFuture<Integer> second = caller.rpc().async("callee", Calls::length, "four");
    Eventually.until("both requests are under way", () -> requestsUnderWay(caller) == 2);

    Signals.named("first").release();

    assertThat(Rpc.await(second)).isEqualTo(4);
    assertThat(Rpc.await(first)).isEqualTo("released");
    Eventually.until("no request is under way", () -> requestsUnderWay(caller) == 0);
  }

  private static long requestsUnderWay(Grid grid) {
    return Objects.requireNonNull(Metrics.of(grid).figures().get("agent.requests_under_way"));
  }

  @Test
  void engineIsRefusedWhenPropertyNamesNone() {
    System.setProperty(HazelgradConfig.ENGINE_PROPERTY, "steam");
    try {
      assertThatThrownBy(() -> HazelgradConfig.named("a"))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("hazelgrad.engine must be tasks or operations, not \"steam\"");
    } finally {
      System.clearProperty(HazelgradConfig.ENGINE_PROPERTY);
    }
  }
}
