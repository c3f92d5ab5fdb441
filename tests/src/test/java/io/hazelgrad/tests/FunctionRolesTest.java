package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.HazelgradConfig.Engine;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.InProcessGrids;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions that are limited to callers with a role, called by members and clients. */
class FunctionRolesTest {
  private static final AtomicInteger RUNS = new AtomicInteger();

  /** Functions for trainers. */
  @RemoteFunctions(roles = "trainer")
  static class Training {
    static int step() {
      return RUNS.incrementAndGet();
    }

    int next() {
      return RUNS.incrementAndGet();
    }
  }

  /** A class for everybody, with a method that it inherits. */
  @RemoteFunctions
  static final class OpenTraining extends Training {
    static int open() {
      return 1;
    }
  }

  /** A class that the configuration of worker b limits. */
  static final class Configured {
    private Configured() {}

    static int run() {
      return RUNS.incrementAndGet();
    }
  }

  private static HazelgradConfig.Builder settings(HazelgradConfig.Builder builder, Engine engine) {
    String name = builder.build().name();
    builder
        .engine(engine)
        .functionsFor("trainer", Configured.class)
        .functionsFor("auditor", Configured.class);
    return switch (name) {
      case "t", "trainer-client" -> builder.roles("trainer", "other");
      case "a" -> builder.roles("auditor");
      default -> builder;
    };
  }

  @ParameterizedTest
  @EnumSource(Engine.class)
  void functionIsRefusedByNameUnlessItsCallerHasTheRole(Engine engine) {
    RUNS.set(0);
    try (InProcessGrids grids =
            InProcessGrids.join(builder -> settings(builder, engine), "w", "t", "a");
        GridClient trainer = grids.client("trainer-client");
        GridClient stranger = grids.client("client")) {
      for (Rpc without : new Rpc[] {grids.grid("w").rpc(), grids.grid("a").rpc(), stranger.rpc()}) {
        assertRefused(() -> without.sync("w", Training::step), "Training::step", "role trainer");
        assertThat(without.sync("w", OpenTraining::open)).isEqualTo(1);
        Function<Integer> inherited = Function.named(OpenTraining.class, "step");
        assertRefused(() -> without.sync("w", inherited), "role trainer");
      }
      assertRefused(() -> grids.grid("a").rpc().sync("w", Training::step), "a has auditor");
      assertRefused(() -> stranger.rpc().sync("w", Configured::run), "auditor or trainer");
      assertRefusedCreation(stranger.rrefs());
      assertRefusedCreation(RRefs.on(grids.grid("a")));
      assertThat(RUNS).hasValue(0);

      assertThat(grids.grid("t").rpc().sync("w", Training::step)).isEqualTo(1);
      assertThat(trainer.rpc().sync("w", Training::step)).isEqualTo(2);
      assertThat(grids.grid("a").rpc().sync("w", Configured::run)).isEqualTo(3);
      assertThat(grids.grid("t").rpc().sync("t", Configured::run)).isEqualTo(4);
      assertThat(trainer.rpc().async("w", Training::step).join()).isEqualTo(5);
      methodIsRefusedThroughReferenceOfAnother(grids.grid("t"));
    }
  }

  private static void methodIsRefusedThroughReferenceOfAnother(Grid trainer) {
    try (RRef<Training> made = RRefs.on(trainer).remote("w", Training::new)) {
      assertThat(made.sync(Training::next)).isEqualTo(6);
      assertThat(trainer.rpc().sync("a", Passing::isRefused, made)).isTrue();
    }
  }

  /** A function by which a worker uses a reference that it was given. */
  @RemoteFunctions
  static final class Passing {
    private Passing() {}

    static boolean isRefused(RRef<Training> given) {
      assertRefused(() -> given.sync(Training::next), "role trainer");
      return true;
    }
  }

  private static void assertRefusedCreation(RRefs rrefs) {
    try (RRef<Training> never = rrefs.remote("w", Training::new)) {
      assertThatThrownBy(() -> never.toHere())
          .isInstanceOf(GridException.class)
          .hasStackTraceContaining("role trainer");
    }
  }

  private static void assertRefused(ThrowingCallable call, String... texts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            GridException.class,
            e -> {
              assertThat(e.status()).as(e.toString()).isEqualTo(Status.NOT_ALLOWED);
              assertThat(e.mayHaveRun()).isFalse();
            })
        .message()
        .contains(texts);
  }
}
