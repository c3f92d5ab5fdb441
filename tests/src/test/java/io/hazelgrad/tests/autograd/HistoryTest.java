package io.hazelgrad.tests.autograd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.ContextInfo;
import io.hazelgrad.autograd.PassInfo;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.testkit.Await;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests of the grid's history of contexts and passes. */
class HistoryTest extends ThreeWorkers {
  private static String id(Context context) {
    return context.id().originator() + "-" + context.id().sequence();
  }

  /** Reads the passes on every worker; all must read the same. */
  private static List<PassInfo> passes(Context context) {
    return Autograd.on(grids.grid("C")).recentPasses().stream()
        .filter(pass -> pass.context().equals(id(context)))
        .toList();
  }

  private static PassInfo awaitPass(Context context, Predicate<PassInfo> which) {
    Await.until(
        Fixture.DEADLINE,
        () -> passes(context).stream().anyMatch(which) ? "" : "no such pass: " + passes(context));
    return passes(context).stream().filter(which).findAny().orElseThrow();
  }

  private static List<ContextInfo> contexts() {
    return Autograd.on(grids.grid("C")).openContexts();
  }

  private static void awaitContext(Context context, boolean inBackward) {
    Await.until(
        Fixture.DEADLINE,
        () ->
            contexts().stream()
                    .anyMatch(
                        info -> info.id().equals(id(context)) && info.inBackward() == inBackward)
                ? ""
                : "not there: " + contexts());
  }

  @Test
  void passIsListedDuringAndAfterRun() {
    Variable x = input();
    try (Context context = autograd.open();
        HeldPass held = new HeldPass(grids.grid("B"))) {
      Variable y = ProgramHost.of(a).call("B", GradientFunctions::times, x);
      Variable loss = ProgramHost.of(a).call("C", GradientFunctions::times, y).sum();
      awaitContext(context, false);
      CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
      held.awaitRunning();
      PassInfo running = awaitPass(context, info -> info.state() == PassInfo.State.RUNNING);
      assertThat(running.bytes()).isNull();
      assertThat(running.milliseconds()).isNull();
      assertThat(running.pass()).isNotNull();
      awaitContext(context, true);
      held.goOn();
      pass.join();
      PassInfo ended = awaitPass(context, info -> info.state() == PassInfo.State.COMMITTED);
      assertThat(passes(context)).containsExactly(ended);
      assertThat(ended.worker()).isEqualTo("A");
      assertThat(ended.isClient()).isFalse();
      assertThat(ended.workers()).containsExactlyInAnyOrder("A", "B", "C");
      assertThat(ended.waves()).isEqualTo(4);
      assertThat(ended.messages()).isEqualTo(4);
      assertThat(ended.bytes()).isEqualTo(4 * 6 * Double.BYTES);
      assertThat(ended.started()).isEqualTo(running.started());
      assertThat(running.times()).isEmpty();
      assertThat(ended.times())
          .extracting(wave -> wave.wave() + wave.worker())
          .containsExactly("0A", "1C", "2A", "3B", "4A");
      assertThat(ended.times())
          .allSatisfy(
              wave -> {
                assertThat(wave.milliseconds()).isBetween(0.0, ended.milliseconds());
                assertThat(wave.started())
                    .isCloseTo(ended.started(), within(1, ChronoUnit.MINUTES));
              });
      assertThat(ended.pass()).isEqualTo(running.pass());
      assertThat(Objects.requireNonNull(ended.milliseconds())).isPositive();
      assertThat(ended.status()).isNull();
      assertThat(ended.error()).isNull();
      awaitContext(context, false);
    }
    Await.until("no context is left", Fixture.DEADLINE, () -> contexts().isEmpty());
  }

  @Test
  void failedPassIsListedWithReason() {
    Variable x = input();
    try (Context context = autograd.open();
        ParticipantProxy broken =
            new ParticipantProxy(
                grids.grid("B"),
                emitted -> {
                  throw new IllegalStateException("broken on purpose");
                })) {
      assertThat(broken).isNotNull();
      Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOfSatisfying(
              GridException.class,
              e -> {
                PassInfo pass = awaitPass(context, info -> info.error() != null);
                assertThat(pass.state()).isEqualTo(PassInfo.State.ABORTED);
                assertThat(pass.status()).isEqualTo(e.status().name());
                assertThat(pass.error()).isEqualTo(e.getMessage()).contains("broken on purpose");
                assertThat(pass.workers()).containsExactly("A", "B");
                // B took its six doubles, and returned none.
                assertThat(pass.bytes()).isEqualTo(6 * Double.BYTES);
              });
    }
  }

  @Test
  void passWithoutMessagesHasNoWaves() {
    try (Context context = autograd.open()) {
      context.backward(input().sum());
      PassInfo pass = awaitPass(context, info -> info.state() == PassInfo.State.COMMITTED);
      assertThat(pass.waves()).isZero();
      assertThat(pass.messages()).isZero();
      assertThat(pass.bytes()).isZero();
      assertThat(pass.workers()).containsExactly("A");
    }
  }

  /** A loop of short passes leaves as many rows as the limit allows, and no more. */
  @Test
  void historyKeepsFewRowsAfterManyPasses() {
    Variable x = input();
    try (Context context = autograd.open()) {
      Variable loss = x.sum();
      for (int i = 0; i < 1000; i++) {
        context.backward(true, loss);
      }
      // The last ones and the slowest ones.
      Await.until(
          "what is not kept has gone",
          Fixture.DEADLINE,
          () -> passes(context).size() >= 50 && passes(context).size() <= 100);
    }
  }

  private static Variable input() {
    return Fixture.input(1);
  }
}
