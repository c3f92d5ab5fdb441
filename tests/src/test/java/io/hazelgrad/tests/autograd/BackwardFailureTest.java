package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.chain;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassParticipant;
import io.hazelgrad.autograd.internal.pass.RelayLostException;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.profile.Event;
import io.hazelgrad.grid.profile.Profile;
import io.hazelgrad.grid.profile.Profiler;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Tests of backward passes that fail: they leave nothing on any worker, and the next pass works.
 */
class BackwardFailureTest extends ThreeWorkers {
  private static void assertNoGradients(Context context, String... workers) {
    assertThat(context.gradients()).isEmpty();
    for (String worker : workers) {
      assertThat(a.rpc().sync(worker, GradientFunctions::gradients)).as(worker).isZero();
    }
  }

  private static void failsOnce(UnaryOperator<List<GradientMessage>> how, String... parts) {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = chain(a, x);
      AtomicBoolean first = new AtomicBoolean(true);
      try (ParticipantProxy proxy =
          new ParticipantProxy(
              grids.grid("C"), emitted -> first.getAndSet(false) ? how.apply(emitted) : emitted)) {
        assertFails(() -> context.backward(loss), Status.PASS_FAILED, "worker ", parts);
        assertThat(proxy).isNotNull();
        assertNoGradients(context, WORKERS);
        context.backward(loss);
        assertThat(context.gradients()).hasSize(1);
      }
      assertThat(a.rpc().sync("C", GradientFunctions::gradients)).isEqualTo(1);
    }
  }

  @Test
  void failureNamesWorker() {
    failsOnce(
        emitted -> {
          throw new IllegalStateException("no gradients today");
        },
        "worker C",
        "no gradients today");
  }

  @Test
  @PeerTest("TestSendFunctionInvalidInputs")
  void gradientIsRefusedWhenShapeIsWrong() {
    failsOnce(
        emitted ->
            emitted.stream()
                .map(each -> new GradientMessage(each.message(), List.of(Tensor.scalar(1))))
                .toList(),
        "worker B",
        "must be FLOAT64 [2, 3]");
  }

  @Test
  void failureNamesWorkerOfFreedGraph() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable y = ProgramHost.of(a).call("C", GradientFunctions::times, x);
      Variable z = ProgramHost.of(a).call("B", GradientFunctions::freed, y);
      assertFails(() -> context.backward(z.sum()), Status.GRAPH_FREED, "worker B", "mul");
      assertNoGradients(context, WORKERS);
      context.backward(y.sum());
      assertThat(context.gradients()).hasSize(1);
    }
  }

  /** The client has another relay, which the next attempt asks. */
  @Test
  void passIsAttemptedAgainWhenWorkerDoesNotRelayForClientAnyMore() {
    Variable x = input(1);
    AtomicInteger advances = new AtomicInteger();
    try (Context context = autograd.open()) {
      Variable loss = chain(a, x);
      try (ParticipantProxy proxy =
          new ParticipantProxy(
              grids.grid("C"),
              emitted -> {
                if (advances.getAndIncrement() == 0) {
                  throw new RelayLostException("client c has another relay");
                }
                return emitted;
              })) {
        assertThat(proxy).isNotNull();
        context.backward(loss);
      }
      assertThat(advances).hasValueGreaterThan(1);
      assertThat(context.gradients()).hasSize(1);
      assertThat(a.rpc().sync("C", GradientFunctions::gradients)).isEqualTo(1);
    }
  }

  /** A worker is in this state for a moment when it leaves. */
  @Test
  void participantIsAskedUntilDeadlineWhenItDoesNotTakePart() {
    Map<String, Object> there = grids.grid("C").hazelcast().getUserContext();
    Object participant = Objects.requireNonNull(there.remove(PassParticipant.USER_CONTEXT_KEY));
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = chain(a, x);
      PassOptions hasty = PassOptions.defaults().withDeadline(Duration.ofMillis(300));
      assertFails(() -> context.backward(hasty, loss), Status.TIMEOUT, "pass");
      assertNoGradients(context, WORKERS);
      there.put(PassParticipant.USER_CONTEXT_KEY, participant);
      context.backward(loss);
      assertThat(context.gradients()).hasSize(1);
    } finally {
      there.put(PassParticipant.USER_CONTEXT_KEY, participant);
    }
  }

  @Test
  void passesSucceedBetweenFailures() {
    Variable x = input(1);
    AtomicBoolean failing = new AtomicBoolean();
    try (Context context = autograd.open();
        ParticipantProxy proxy =
            new ParticipantProxy(
                grids.grid("B"),
                emitted -> {
                  if (failing.get()) {
                    throw new IllegalStateException("failing");
                  }
                  return emitted;
                })) {
      assertThat(proxy).isNotNull();
      Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, x).sum();
      for (int i = 0; i < 20; i++) {
        failing.set(true);
        assertFails(() -> context.backward(true, loss), Status.PASS_FAILED, "worker B", "failing");
        failing.set(false);
        context.backward(true, loss);
      }
      double[] weight = ProgramHost.newWeight("B").value().toDoubles();
      double[] sum = new double[6];
      for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 6; k++) {
          sum[k] += weight[k];
        }
      }
      assertThat(Fixture.doubles(context.gradient(x))).containsExactly(sum);
    }
  }

  @Test
  void passIsRefusedWhenItOverlapsOnSameNodes() {
    Variable x = input(1);
    try (Context context = autograd.open();
        HeldPass held = new HeldPass(grids.grid("C"))) {
      Variable loss = chain(a, x);
      CompletableFuture<Void> first = CompletableFuture.runAsync(() -> context.backward(loss));
      held.awaitRunning();
      assertFails(() -> context.backward(loss), Status.PASS_CONFLICT, "in use");
      assertFails(() -> context.backward(true, loss), Status.PASS_CONFLICT, "in use");
      held.goOn();
      first.join();
      assertThat(context.gradients()).hasSize(1);
      assertFails(() -> context.backward(loss), Status.GRAPH_FREED, "tanh");
    }
  }

  @Test
  void passesOverlapWhenTheyRetainGraph() {
    CountDownLatch both = new CountDownLatch(2);
    Variable x = input(1);
    try (Context context = autograd.open();
        ParticipantProxy proxy =
            new ParticipantProxy(
                grids.grid("C"),
                emitted -> {
                  both.countDown();
                  HeldPass.await(both);
                  return emitted;
                })) {
      assertThat(proxy).isNotNull();
      Variable loss = chain(a, x);
      List<CompletableFuture<Void>> passes =
          List.of(
              CompletableFuture.runAsync(() -> context.backward(true, loss)),
              CompletableFuture.runAsync(() -> context.backward(true, loss)));
      passes.forEach(CompletableFuture::join);
      double[] twice = Fixture.doubles(context.gradient(x));
      context.backward(loss);
      double[] thrice = Fixture.doubles(context.gradient(x));
      for (int i = 0; i < 6; i++) {
        assertThat(thrice[i]).isEqualTo(twice[i] / 2 * 3, within(1e-12));
      }
      assertThat(a.rpc().sync("C", GradientFunctions::gradients)).isEqualTo(1);
    }
  }

  @Test
  void passEndsWhenInterrupted() throws Exception {
    Variable x = input(1);
    try (Context context = autograd.open();
        HeldPass held = new HeldPass(grids.grid("C"))) {
      Variable loss = chain(a, x);
      CompletableFuture<Void> result = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  context.backward(loss);
                  result.complete(null);
                } catch (Throwable e) {
                  result.completeExceptionally(e);
                }
              });
      thread.start();
      held.awaitRunning();
      thread.interrupt();
      assertFails(() -> Rpc.await(result), Status.CANCELLED, "interrupted");
      held.goOn();
      assertNoGradients(context, WORKERS);
      context.backward(loss);
      assertThat(context.gradients()).hasSize(1);
    }
  }

  @Test
  void passFailsOnInterruptedThreadAndNextPassWorks() {
    Variable x = input(1);
    try (Context context = autograd.open()) {
      Variable loss = chain(a, x);
      for (int i = 0; i < 5; i++) {
        // Held, since a thread that need not wait does not notice the interrupt.
        try (HeldPass held = new HeldPass(grids.grid("C"))) {
          assertThat(held).isNotNull();
          Thread.currentThread().interrupt();
          assertFails(() -> context.backward(loss), Status.CANCELLED, "interrupted");
          assertThat(Thread.interrupted()).isTrue();
        }
      }
      context.backward(loss);
      assertThat(context.gradients()).hasSize(1);
    }
  }

  @Test
  void passEndsAtDefaultDeadline() {
    try (InProcessGrids own =
        InProcessGrids.join(
            builder -> builder.options(options).callTimeout(Duration.ofSeconds(1)), "A", "B")) {
      Grid grid = own.grid("A");
      Variable x = input(1);
      try (Context context = Autograd.on(grid).open();
          HeldPass held = new HeldPass(own.grid("B"))) {
        Variable loss = ProgramHost.of(grid).call("B", GradientFunctions::times, x).sum();
        assertFails(() -> context.backward(loss), Status.TIMEOUT, "did not end within");
        held.goOn();
        assertThat(context.gradients()).isEmpty();
        assertThat(grid.rpc().sync("B", GradientFunctions::gradients)).isZero();
        context.backward(loss);
        assertThat(context.gradients()).hasSize(1);
      }
      Fixture.awaitNothingLeft(own, "A", "B");
    }
  }

  @Test
  void passEndsAtItsOwnDeadline() {
    Variable x = input(1);
    try (Context context = autograd.open();
        HeldPass held = new HeldPass(grids.grid("C"))) {
      Variable loss = chain(a, x);
      assertFails(
          () -> context.backward(PassOptions.defaults().withDeadline(Duration.ofMillis(300)), loss),
          Status.TIMEOUT,
          "did not end within");
      held.goOn();
      assertNoGradients(context, WORKERS);
      context.backward(PassOptions.defaults().withDeadline(Duration.ZERO), loss);
      assertThat(context.gradients()).hasSize(1);
    }
  }

  @Test
  void passEndsWhenItsCallIsCancelled() {
    Variable x = input(1);
    try (Context context = autograd.open();
        HeldPass held = new HeldPass(grids.grid("C"))) {
      Variable y = ProgramHost.of(a).call("C", GradientFunctions::times, x);
      CompletableFuture<Integer> call = a.rpc().async("B", GradientFunctions::backward, y, true);
      held.awaitRunning();
      call.cancel(true);
      Await.until(
          "the pass of B has ended", DEADLINE, () -> Autograd.on(grids.grid("B")).passCount() == 0);
      held.goOn();
      Await.until(
          "C has heard of it", DEADLINE, () -> Autograd.on(grids.grid("C")).passCount() == 0);
      assertNoGradients(context, WORKERS);
      assertThat(ProgramHost.of(a).call("B", GradientFunctions::backward, y, false)).isZero();
      assertThat(context.gradients()).hasSize(1);
      assertThat(a.rpc().sync("B", GradientFunctions::gradients)).isEqualTo(1);
    }
  }

  /** Every message of a context names the aborted passes that its receiver may not know. */
  @Test
  void failedPassesDoNotAccumulateInMessages() {
    Variable x = input(1);
    try (Context context = autograd.open();
        ParticipantProxy proxy =
            new ParticipantProxy(
                grids.grid("C"),
                emitted -> {
                  throw new IllegalStateException("failing");
                })) {
      assertThat(proxy).isNotNull();
      Variable loss = chain(a, x);
      assertFails(() -> context.backward(loss), Status.PASS_FAILED, "failing");
      long before = requestBytes();
      for (int i = 0; i < 200; i++) {
        assertFails(() -> context.backward(loss), Status.PASS_FAILED, "failing");
      }
      Await.until(
          "what all know is not told any more", DEADLINE, () -> requestBytes() < before + 8);
    }
  }

  private static long requestBytes() {
    try (Profile profile = Profiler.of(a).start()) {
      a.rpc().sync("B", GradientFunctions::gradients);
      return profile.events().stream()
          .filter(event -> event.kind() == Event.Kind.CALL)
          .mapToLong(Event::bytesOut)
          .sum();
    }
  }
}
