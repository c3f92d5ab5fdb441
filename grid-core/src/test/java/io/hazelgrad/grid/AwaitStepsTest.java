package io.hazelgrad.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.hazelgrad.grid.spi.GridContext;
import io.hazelgrad.grid.spi.ServiceCaller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A thread that waits for work of many calls takes their replies itself. */
class AwaitStepsTest extends OnTwoWorkers {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static GridContext context;

  @BeforeAll
  static void join() {
    join(HazelgradConfig.named("alice"), HazelgradConfig.named("bob"));
    context = ProbeExtension.Probe.of(alice).context;
  }

  private static CompletableFuture<String> echo(ServiceCaller caller, String text) {
    return caller.call(bob.worker(), "probe.echo", List.of(text), PATIENCE);
  }

  private static CompletableFuture<String> held(ServiceCaller caller, String signal) {
    return caller.call(bob.worker(), "probe.waiting", List.of(signal), PATIENCE);
  }

  @Test
  void waitingThreadRunsCallbacksOfEachCall() {
    List<Thread> threads = new ArrayList<>();

    String echoed = context.awaitSteps(caller -> longer(caller, "", threads));

    assertThat(echoed).isEqualTo("xxxxxxxxxx");
    assertThat(threads).hasSize(10).containsOnly(Thread.currentThread());
  }

  /** Makes the next call when the last one has answered. */
  private static CompletableFuture<String> longer(
      ServiceCaller caller, String text, List<Thread> threads) {
    return text.length() == 10
        ? CompletableFuture.completedFuture(text)
        : echo(caller, text + "x")
            .thenCompose(
                answer -> {
                  threads.add(Thread.currentThread());
                  return longer(caller, answer, threads);
                });
  }

  @Test
  void waitEndsWhenAnotherThreadCompletesFuture() {
    CompletableFuture<String> work = new CompletableFuture<>();

    String ended =
        context.awaitSteps(
            caller -> {
              var unused = echo(context, "by another").thenAccept(work::complete);
              return work;
            });

    assertThat(ended).isEqualTo("by another");
  }

  @Test
  void threadsOfGridTakeRepliesWhenCallerIsInterrupted() throws Exception {
    CompletableFuture<Thread> replied = new CompletableFuture<>();
    CompletableFuture<GridException> ended = new CompletableFuture<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                context.awaitSteps(
                    caller -> {
                      var unused =
                          held(caller, "steps.left")
                              .thenRun(() -> replied.complete(Thread.currentThread()));
                      return new CompletableFuture<>();
                    });
              } catch (GridException e) {
                ended.complete(e);
              }
            });
    waiting.start();
    Signals.named("steps.left").awaitStarted();

    waiting.interrupt();

    assertThat(get(ended).status()).isEqualTo(Status.CANCELLED);
    waiting.join(PATIENCE.toMillis());
    Signals.named("steps.left").answer.complete("late");
    assertThat(get(replied)).isNotSameAs(waiting);
  }

  @Test
  void waitEndsWhenCallFails() {
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(
            () ->
                context.awaitSteps(
                    caller ->
                        echo(caller, "first")
                            .thenCompose(
                                text ->
                                    caller.call(bob.worker(), "probe.none", List.of(), PATIENCE))))
        .satisfies(e -> assertThat(e.status()).isEqualTo(Status.UNKNOWN_FUNCTION));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
