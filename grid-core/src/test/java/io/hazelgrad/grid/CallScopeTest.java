package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scopes that wait for the calls started inside; method names are the peer's where it has one. */
class CallScopeTest {
  private static final Function<String> LATER = Function.named(Calls.class, "later", String.class);

  private final TestGrids grids = new TestGrids();
  private final Grid a = grids.join("a");

  @AfterEach
  void end() {
    grids.close();
    assertThat(CallScope.collect(new CompletableFuture<>())).isNotDone(); // No scope is left.
  }

  private static GridException failure(Runnable work) {
    return catchThrowableOfType(GridException.class, work::run);
  }

  @Test
  void scopeWaitsForItsCall() {
    CompletableFuture<String> call;
    try (CallScope scope = CallScope.open()) {
      call = a.rpc().async("a", Calls::worker);
      assertThat(scope.size()).isEqualTo(1);
    }
    assertThat(call).isDone();
  }

  @Test
  void scopeWaitsForAllItsCalls() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    try (CallScope outer = CallScope.open()) {
      try (CallScope scope = CallScope.open()) {
        for (int i = 0; i < 20; i++) {
          calls.add(a.rpc().async("a", Calls::worker));
          assertThat(a.rpc().sync("a", Calls::worker)).isEqualTo("a");
        }
        assertThat(scope.size()).isEqualTo(20);
      }
      assertThat(calls).allMatch(CompletableFuture::isDone);
      assertThat(outer.size()).isZero();
    }
  }

  @Test
  void scopeFailsWhenCallTimesOut() {
    GridException late =
        failure(
            () -> {
              try (CallScope scope = CallScope.open()) {
                var unused = a.rpc().within(Duration.ofMillis(50)).async("a", LATER, "scope never");
              }
            });
    assertThat(late.status()).isEqualTo(Status.TIMEOUT);
    GridException scope =
        failure(
            () -> {
              try (CallScope brief = CallScope.open(Duration.ofMillis(50))) {
                var unused = a.rpc().async("a", LATER, "scope late");
              }
            });
    assertThat(scope.status()).isEqualTo(Status.TIMEOUT);
    assertThat(scope).hasMessageContaining("1 of 1 calls did not end within the 50 ms");
    Signals.named("scope late").answer.complete("at last");
    Signals.named("scope never").answer.complete("at last");
  }

  @Test
  void scopeFailsWhenFunctionThrows() {
    GridException first =
        failure(
            () -> {
              try (CallScope scope = CallScope.open()) {
                var unused1 = a.rpc().async("a", Calls::throwing, "checked");
                var unused2 = a.rpc().async("a", Calls::throwing, "caused");
                var unused3 = a.rpc().async("a", Calls::worker);
              }
            });
    assertThat(first).hasMessageContaining("disk");
    assertThat(first.getSuppressed()).hasSize(1);
    assertThat(first.getSuppressed()[0]).hasMessageContaining("outer");
  }

  @Test
  void scopeIsClosedWhenBodyThrows() {
    List<CompletableFuture<String>> calls = new ArrayList<>();
    Throwable thrown =
        catchThrowable(
            () -> {
              try (CallScope scope = CallScope.open()) {
                calls.add(a.rpc().async("a", Calls::worker));
                calls.add(a.rpc().async("a", Calls::throwing, "checked"));
                throw new IllegalStateException("body");
              }
            });
    assertThat(thrown).isInstanceOf(IllegalStateException.class).hasMessage("body");
    assertThat(thrown.getSuppressed()).hasSize(1);
    assertThat(calls).allMatch(CompletableFuture::isDone);
  }

  @Test
  void scopeBelongsToItsThread() {
    CallScope scope = CallScope.open();
    CallScope inner = CallScope.open();
    CompletableFuture<String> call = a.rpc().async("a", Calls::worker);
    CompletableFuture<Throwable> elsewhere =
        CompletableFuture.supplyAsync(() -> catchThrowable(scope::close));
    assertThat(elsewhere.join()).hasMessageContaining("closed by the thread that opened it");
    scope.close(); // With the inner one.
    assertThat(call).isDone();
    inner.close();
    scope.close();
  }

  @Test
  void awaitAllFailsAtOnceWhenCallFails() {
    CompletableFuture<?> never = a.rpc().async("a", LATER, "wait never");
    List<CompletableFuture<?>> calls =
        List.of(
            never,
            a.rpc().async("a", Calls::throwing, "checked"),
            a.rpc().async("a", Calls::throwing, "checked"));
    assertThat(failure(() -> Rpc.awaitAll(calls))).hasMessageContaining("disk");
    assertThat(never).isNotDone();
    assertThat(Rpc.awaitAll(List.of(a.rpc().async("a", Calls::worker)))).containsExactly("a");
    never.cancel(true);
  }
}
