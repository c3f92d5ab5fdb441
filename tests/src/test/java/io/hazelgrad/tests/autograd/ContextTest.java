package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.DEADLINE;
import static io.hazelgrad.tests.autograd.Fixture.assertClose;
import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.gradientOn;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Tests of contexts over three workers: their separation, and the effects of closing them. */
class ContextTest extends ThreeWorkers {
  @Test
  void twoContextsShareLeaves() throws Exception {
    Variable x = input(1);
    List<double[]> results = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      double factor = t + 1;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 10; i++) {
                  try (Context context = autograd.open()) {
                    Variable y = x.mul(Variable.of(Tensor.scalar(factor)));
                    context.backward(
                        ProgramHost.of(a).call("B", GradientFunctions::times, y).sum());
                    double[] gradient = doubles(context.gradient(x));
                    double[] remote = doubles(gradientOn(a, "B"));
                    for (int k = 0; k < gradient.length; k++) {
                      gradient[k] /= factor;
                      remote[k] /= factor;
                    }
                    results.add(gradient);
                    results.add(remote);
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join(DEADLINE.toMillis());
    }
    assertThat(results).hasSize(40);
    for (double[] result : results) {
      assertThat(result)
          .isIn(ProgramHost.newWeight("B").value().toDoubles(), x.value().toDoubles());
    }
    assertThat(x.grad()).isNull();
  }

  @Test
  void contextsStaySeparate() {
    Variable x = input(1);
    Variable other;
    Context first = autograd.open();
    Variable y = ProgramHost.of(a).call("B", GradientFunctions::times, x);
    first.close();
    try (Context context = autograd.open()) {
      assertFails(() -> context.backward(y.sum()), Status.BAD_ARGUMENT, "context", "detach()");
      other = ProgramHost.of(a).call("B", GradientFunctions::times, y);
      assertFails(
          () -> context.backward(other.sum()),
          Status.BAD_ARGUMENT,
          first.id().toString(),
          "detach()");
      context.backward(ProgramHost.of(a).call("B", GradientFunctions::times, y.detach()).sum());
      assertThat(gradientOn(a, "B")).isNotNull();
      assertThat(context.gradient(x)).isNull();
    }
  }

  @Test
  void contextIsRefusedWithinContext() {
    try (Context context = autograd.open()) {
      assertFails(autograd::open, Status.BAD_ARGUMENT, context.id().toString(), "do not nest");
      assertFails(
          () -> a.rpc().sync("B", GradientFunctions::nest), Status.BAD_ARGUMENT, "do not nest");
      context.backward(ProgramHost.of(a).call("B", GradientFunctions::times, input(1)).sum());
    }
    assertThat(a.rpc().sync("B", GradientFunctions::nest)).startsWith("context");
  }

  @Test
  void contextRefusesWorkAfterClose() {
    Context context = autograd.open();
    Variable loss = ProgramHost.of(a).call("B", GradientFunctions::times, input(1)).sum();
    context.close();
    context.close();
    assertFails(() -> context.backward(loss), Status.CONTEXT_CLOSED, context.id().toString());
    assertFails(context::gradients, Status.CONTEXT_CLOSED, "was closed");
    assertFails(
        () ->
            context.within(() -> ProgramHost.of(a).async("B", GradientFunctions::times, input(1))),
        Status.CONTEXT_CLOSED,
        "was closed");
    assertThat(a.rpc().sync("B", GradientFunctions::times, input(1))).isNotNull();
  }

  @Test
  void threadOpensContextAfterAnotherThreadClosedItsOwn() throws Exception {
    Context context = autograd.open();
    Thread closer = new Thread(context::close);
    closer.start();
    closer.join(DEADLINE.toMillis());
    try (Context next = autograd.open()) {
      next.backward(ProgramHost.of(a).call("B", GradientFunctions::times, input(1)).sum());
    }
  }

  @Test
  void contextStaysClosedWhenMessageIsLate() throws Exception {
    try (RequestHold hold = RequestHold.of("GradientFunctions::times")) {
      CompletableFuture<Variable> late;
      try (Context context = autograd.open()) {
        assertThat(context).isNotNull();
        late = ProgramHost.of(a).async("B", GradientFunctions::times, input(1));
        hold.awaitHeld();
      }
      Fixture.awaitNothingLeft(grids, WORKERS);
      hold.close();
      assertFails(() -> Rpc.await(late), Status.CONTEXT_CLOSED, "was closed");
    }
    // The message of the closing may still be on its way to B, which had not heard of the context.
    Fixture.awaitNothingLeft(grids, WORKERS);
  }

  /** Callbacks run on threads of the grid, which belong to no context. */
  @Test
  void callbacksOfFuturesRunInContextOfTheirCall() {
    Variable x = input(1);
    ProgramHost.InOneThread expected = ProgramHost.inOneThread("A");
    Variable local = input(1);
    expected
        .call("C", GradientFunctions::times, expected.call("B", GradientFunctions::times, local))
        .sum()
        .backward();
    List<BiFunction<CompletableFuture<Variable>, ProgramHost, CompletableFuture<Variable>>> ways =
        List.of(
            (y, world) -> y.thenApply(value -> world.call("C", GradientFunctions::times, value)),
            (y, world) -> y.thenCompose(value -> world.async("C", GradientFunctions::times, value)),
            (y, world) ->
                y.thenApplyAsync(value -> world.call("C", GradientFunctions::times, value)),
            (y, world) ->
                y.thenApply(value -> value)
                    .thenComposeAsync(v -> world.async("C", GradientFunctions::times, v)),
            (y, world) ->
                y.handle((value, failure) -> world.call("C", GradientFunctions::times, value)));
    for (int i = 0; i < ways.size(); i++) {
      try (Context context = autograd.open();
          RequestHold hold = RequestHold.of("GradientFunctions::times")) {
        ProgramHost world = ProgramHost.of(a);
        CompletableFuture<Variable> z =
            ways.get(i)
                .apply(
                    world.async("B", GradientFunctions::times, x),
                    world); // Before the reply arrives.
        hold.close();
        context.backward(Rpc.await(z).sum());
        assertClose("x, way " + i, context.gradient(x), local.grad());
        for (String worker : List.of("B", "C")) {
          assertClose(worker, gradientOn(a, worker), expected.weight(worker).grad());
        }
      }
    }
  }

  @Test
  void callbacksOfFetchesRunInContext() {
    Variable x = input(1);
    try (Context context = autograd.open();
        RequestHold hold = RequestHold.of("GradientFunctions::times");
        RRef<Variable> there = RRefs.on(a).remote("B", GradientFunctions::times, x)) {
      CompletableFuture<Variable> z =
          there.toHereAsync().thenCompose(y -> a.rpc().async("C", GradientFunctions::times, y));
      hold.close();
      context.backward(Rpc.await(z).sum());
      assertThat(context.gradient(x)).isNotNull();
      assertThat(gradientOn(a, "C")).isNotNull();
    }
  }

  @Test
  void callbacksOfFailuresRunInContext() {
    try (Context context = autograd.open();
        RequestHold hold = RequestHold.of("GradientFunctions::broken")) {
      CompletableFuture<String> seen =
          a.rpc()
              .async("B", GradientFunctions::broken, input(1))
              .handle((value, failure) -> current());
      hold.close();
      assertThat(Rpc.await(seen)).isEqualTo(context.toString());
    }
  }

  /** This also holds if the thread of another context completes the future. */
  @Test
  void callbacksRunOutsideWhenTheirCallWasOutside() {
    CompletableFuture<String> seen;
    try (RequestHold hold = RequestHold.of("GradientFunctions::times")) {
      seen =
          ProgramHost.of(a)
              .async("B", GradientFunctions::times, input(1))
              .thenApply(y -> current());
      try (Context context = autograd.open()) {
        assertThat(context).isNotNull();
        hold.close();
        assertThat(Rpc.await(seen)).isEmpty();
        assertThat(current()).isEqualTo(context.toString());
      }
    }
    assertThat(current()).isEmpty();
  }

  private static String current() {
    Context context = autograd.current();
    return context == null ? "" : context.toString();
  }

  @Test
  void closingFreesGraphOnAllWorkers() {
    GradientFunctions.WATCHED.clear();
    int contexts = 500;
    List<WeakReference<Variable>> here = new ArrayList<>();
    for (int i = 0; i < contexts; i++) {
      here.add(forgotten(i % 3 == 0));
    }
    assertThat(GradientFunctions.WATCHED).hasSize(contexts);
    Fixture.awaitNothingLeft(grids, WORKERS);
    Await.until(
        DEADLINE,
        () -> {
          System.gc();
          long left =
              here.stream().filter(each -> each.get() != null).count()
                  + GradientFunctions.WATCHED.stream().filter(each -> each.get() != null).count();
          // Frames and buffers of threads may still refer to the last variables.
          return left <= 8 ? "" : left + " variables of closed contexts are still reachable";
        });
  }

  private static WeakReference<Variable> forgotten(boolean backward) {
    try (Context context = autograd.open()) {
      Variable y = ProgramHost.of(a).call("B", GradientFunctions::watched, input(1));
      if (backward) {
        context.backward(y.sum());
      }
      return new WeakReference<>(y);
    }
  }

  @Test
  void onlyValueTravelsOutsideContext() {
    Variable y = a.rpc().sync("B", GradientFunctions::times, input(1));
    assertThat(y.requiresGrad()).isFalse();
    assertThat(Autograd.on(grids.grid("B")).contextCount()).isZero();
  }

  @Test
  void passEndsWhenContextIsClosed() throws Exception {
    Variable x = input(1);
    Context context = autograd.open();
    Variable loss = ProgramHost.of(a).call("B", GradientFunctions::hop, List.of("C"), x).sum();
    try (HeldPass held = new HeldPass(grids.grid("C"))) {
      CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
      held.awaitRunning();
      context.close();
      Await.until(
          "B and C have closed it",
          DEADLINE,
          () ->
              Autograd.on(grids.grid("B")).contextCount()
                      + Autograd.on(grids.grid("C")).contextCount()
                  == 0);
      held.goOn();
      Throwable failure = pass.handle((nothing, e) -> e).get(20, TimeUnit.SECONDS);
      assertThat(Objects.requireNonNull(failure)).hasMessageContaining("worker");
    }
  }
}
