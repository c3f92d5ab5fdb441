package io.hazelgrad.grid.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault;
import io.hazelgrad.grid.spi.FaultPolicy.MessageFault.What;
import io.hazelgrad.grid.spi.MessageKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Control messages that fail on their way. */
class RetrySchedulerTest {
  private static final MessageKind KIND = new MessageKind("test.message");

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RetryScheduler retries = new RetryScheduler(timer, Runnable::run);
  private final FaultInjector disturbances =
      new FaultInjector((to, member, request, replyTo) -> {}, timer, Runnable::run);
  private final List<String> sent = new ArrayList<>();

  @AfterEach
  void end() {
    timer.shutdownNow();
  }

  private static GridException failure(Status status) {
    return new GridException(status, "on the way");
  }

  private CompletableFuture<String> run(Supplier<CompletionStage<String>> send) {
    return retries.run(attempt -> disturbances.send(KIND, null, attempt, send));
  }

  private CompletionStage<String> arrive() {
    sent.add("sent");
    return CompletableFuture.completedFuture("done");
  }

  @Test
  void messageIsSentOnceWhenItSucceeds() {
    assertThat(run(this::arrive).join()).isEqualTo("done");
    assertThat(sent).hasSize(1);
  }

  @Test
  void messageIsSentAgainWhenItFails() {
    disturbances.set(
        (kind, to, attempt) -> attempt < 3 ? new MessageFault(What.FAIL, Duration.ZERO) : null);
    assertThat(run(this::arrive).join()).isEqualTo("done");
    assertThat(sent).hasSize(1);
  }

  @Test
  void retriesEndAtLimit() {
    List<Integer> attempts = new ArrayList<>();
    CompletableFuture<String> failed =
        retries.run(
            attempt -> {
              attempts.add(attempt);
              return CompletableFuture.failedFuture(failure(Status.TIMEOUT));
            });
    assertThatThrownBy(failed::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .hasMessage("on the way");
    assertThat(attempts).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void messageIsNotSentAgainWhenFailureIsFinal() {
    for (Status status : List.of(Status.WORKER_LOST, Status.CLOSED, Status.BAD_VALUE)) {
      CompletableFuture<String> failed =
          run(
              () -> {
                sent.add("sent");
                throw failure(status);
              });
      assertThat(failed).isCompletedExceptionally();
    }
    assertThat(sent).hasSize(3);
  }

  @Test
  void messageIsSentAgainWhenDropped() {
    disturbances.set(
        (kind, to, attempt) ->
            attempt == 0 ? new MessageFault(What.DROP_REPLY, Duration.ZERO) : null);
    assertThat(run(this::arrive).join()).isEqualTo("done");
    assertThat(sent).hasSize(2); // It had arrived.
  }

  @Test
  void messageIsSentTwiceWhenDuplicated() {
    disturbances.set((kind, to, attempt) -> new MessageFault(What.DUPLICATE, Duration.ZERO));
    assertThat(run(this::arrive).join()).isEqualTo("done");
    assertThat(sent).hasSize(2);
  }

  @Test
  void messageIsRetriedLongerWithoutQuorum() {
    CompletableFuture<String> sending =
        retries.run(
            attempt ->
                attempt <= RetryScheduler.MOST + 1
                    ? CompletableFuture.failedFuture(new SplitBrainProtectionException("no quorum"))
                    : CompletableFuture.completedFuture("done"));
    assertThat(sending.join()).isEqualTo("done");
  }

  @Test
  void messageIsNotGivenUpWhileSuspended() {
    retries.suspend();
    int most = RetryScheduler.MOST + 3; // One more message would be given up without it.
    CompletableFuture<String> sending =
        retries.run(
            attempt -> {
              sent.add("sent");
              return sent.size() <= most
                  ? CompletableFuture.failedFuture(failure(Status.REJECTED))
                  : CompletableFuture.completedFuture("done");
            });
    assertThat(sending.join()).isEqualTo("done");
  }

  @Test
  void retriesEndAtLimitAfterResume() {
    retries.suspend();
    CompletableFuture<String> failed =
        retries.run(attempt -> CompletableFuture.failedFuture(failure(Status.REJECTED)));
    retries.resume();
    assertThatThrownBy(failed::join).cause().hasMessage("on the way");
  }

  @Test
  void retryFailsWithFencedWhenFencedMeanwhile() {
    CompletableFuture<String> pausing =
        retries.run(
            attempt ->
                CompletableFuture.failedFuture(new SplitBrainProtectionException("no quorum")));
    retries.close(failure(Status.FENCED));
    assertThatThrownBy(() -> pausing.get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.FENCED));
  }

  @Test
  void pausesEndWhenClosed() throws Exception {
    CompletableFuture<String> pausing =
        retries.run(attempt -> CompletableFuture.failedFuture(failure(Status.REJECTED)));
    retries.close(failure(Status.CLOSED));
    timer.shutdownNow();
    assertThatThrownBy(() -> pausing.get(20, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(GridException.class);
  }
}
