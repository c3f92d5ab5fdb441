package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.hazelgrad.grid.group.Shutdown;
import io.hazelgrad.grid.group.ShutdownReport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Leaving in good order. */
class ShutdownTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Function<String> LATER = Function.named(Calls.class, "later", String.class);
  private static final AtomicInteger HOPS = new AtomicInteger();

  private final TestGrids grids = new TestGrids();

  @AfterEach
  void end() {
    grids.close();
  }

  /** What the tests call. */
  @RemoteFunctions
  static final class Hopping {
    private Hopping() {}

    /** Hands on without waiting. */
    static int hop(List<String> names, int left) {
      if (left > 0) {
        Grid here = Grid.current();
        String next = names.get(left % names.size());
        var unused = here.rpc().async(next, Function.of(Hopping::hop), names, left - 1);
      }
      return HOPS.incrementAndGet();
    }

    static String waitForMe() {
      return Shutdown.of(Grid.current()).alone().toString();
    }

    static boolean leave() {
      return !Shutdown.of(Grid.current()).aloneAsync(LONG).isDone();
    }
  }

  @Test
  void chainOfAsyncCallsIsServedToItsEnd() {
    List<Grid> all = List.of(grids.join("a"), grids.join("b"), grids.join("c"));
    List<String> names = List.of("a", "b", "c");
    HOPS.set(0);
    for (Grid grid : all) {
      var unused = grid.rpc().async("b", Function.of(Hopping::hop), names, 20);
    }
    List<CompletableFuture<ShutdownReport>> leaving =
        all.stream().map(grid -> Shutdown.of(grid).togetherAsync(LONG, LONG)).toList();
    for (ShutdownReport report : Rpc.awaitAll(leaving)) {
      assertThat(report.isClean()).as("%s", report).isTrue();
    }
    assertThat(HOPS).hasValue(3 * 21);
    assertThat(all).allMatch(Grid::isClosed);
    assertThat(Shutdown.of(all.get(0)).together()).isEqualTo(leaving.get(0).join());
  }

  @Test
  void callIsCutOffAndReportedWhenTooLong() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    grids.join("c");
    CompletableFuture<String> served = a.rpc().async("b", Calls::block, "cut");
    CompletableFuture<?> own = b.rpc().async("a", LATER, "cut own");
    Signals.named("cut").awaitStarted();
    Signals.named("cut own").awaitStarted();
    ShutdownReport report = Shutdown.of(b).together(Duration.ofMillis(50), Duration.ofMillis(100));
    assertThat(report.isClean()).isFalse();
    assertThat(report.callsLeft()).isEqualTo(1);
    assertThat(report.servedLeft()).isEqualTo(1);
    assertThat(report.missing()).containsExactly("a", "c");
    assertThat(report.isClosed()).isTrue();
    GridException left = catchThrowableOfType(GridException.class, () -> Rpc.await(served));
    assertThat(left.status()).isEqualTo(Status.WORKER_LOST);
    assertThat(left).hasMessageContaining("has left");
    assertThat(catchThrowableOfType(GridException.class, () -> Rpc.await(own)).status())
        .isEqualTo(Status.CLOSED);
    Signals.named("cut").release();
    Signals.named("cut own").answer.complete("");
    assertThat(
            catchThrowableOfType(GridException.class, () -> b.rpc().async("a", Calls::worker))
                .status())
        .isEqualTo(Status.CLOSED);
  }

  @Test
  void refusedCallsAreNotAwaited() {
    Grid a = grids.join("a");
    grids.join("b");
    Tensor elsewhere = Tensor.scalar(1).to(Device.sim(0));
    Function<Object> echo = Function.named(Calls.class, "echo", Object.class);
    for (Object wrong : List.of(new Object(), elsewhere, new CompletableFuture<>())) {
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> a.rpc().sync("b", echo, wrong));
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> a.rpc().async("b", echo, wrong));
    }
    ShutdownReport report = Shutdown.of(a).alone(LONG);
    assertThat(report.isClean()).as("%s", report).isTrue();
  }

  @Test
  void shutdownEndsWithinBoundsWhenWorkerIsDead() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    Grid c = grids.join("c");
    CompletableFuture<ShutdownReport> leaving = Shutdown.of(a).togetherAsync(LONG, LONG);
    CompletableFuture<ShutdownReport> alsoLeaving = Shutdown.of(b).togetherAsync(LONG, LONG);
    c.hazelcast().getLifecycleService().terminate();
    for (ShutdownReport report : Rpc.awaitAll(List.of(leaving, alsoLeaving))) {
      assertThat(report.lost()).containsExactly("c");
      assertThat(report.missing()).isEmpty();
      assertThat(report.isClosed()).isTrue();
    }
  }

  @Test
  void shutdownIsRefusedInFunctionUnlessAsync() {
    Grid a = grids.join("a");
    Grid b = grids.join("b");
    GridException refused =
        catchThrowableOfType(GridException.class, () -> a.rpc().sync("b", Hopping::waitForMe));
    assertThat(refused.status()).isEqualTo(Status.BAD_ARGUMENT);
    assertThat(refused).hasMessageContaining("aloneAsync");
    a.rpc().sync("b", Function.of(Hopping::leave));
    Eventually.until("b has left", b::isClosed);
    Eventually.until("a knows", () -> a.workers().size() == 1);
  }

  @Test
  void threadsGetSameReport() {
    Grid a = grids.join("a");
    CompletableFuture<ShutdownReport> other =
        CompletableFuture.supplyAsync(() -> Shutdown.of(a).alone());
    ShutdownReport report = Shutdown.of(a).together();
    assertThat(other.join()).isEqualTo(report);
    assertThat(report.isClosed()).isTrue();
    assertThat(
            catchThrowableOfType(
                    GridException.class, () -> Shutdown.of(a).alone(Duration.ofMillis(-1)))
                .status())
        .isEqualTo(Status.BAD_ARGUMENT);
  }
}
