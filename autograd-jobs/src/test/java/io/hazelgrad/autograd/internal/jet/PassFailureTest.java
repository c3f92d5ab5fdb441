package io.hazelgrad.autograd.internal.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.jet.core.ProcessorSupplier;
import com.hazelcast.jet.core.test.TestProcessorSupplierContext;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Failed passes tell their submitter the reason and leave nothing behind. */
class PassFailureTest extends PassTest {
  @Test
  void errorOfParticipantReachesSubmitterWithStatus() {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    members.worker(1).onStart =
        () -> {
          throw new GridException(Status.CONTEXT_CLOSED, "context 0/5 is closed on worker w1");
        };
    GridException error = failure(forward.plan(0, last), last);
    assertThat(error.status()).isEqualTo(Status.CONTEXT_CLOSED);
    assertThat(error).hasMessage("context 0/5 is closed on worker w1");
  }

  @Test
  void errorNamesWorkerAndWave() {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    members.worker(1).onAdvance =
        wave -> {
          throw new NotAllowedToTravel(wave);
        };
    GridException error = failure(forward.plan(0, last), last);
    assertThat(error.status()).isEqualTo(Status.PASS_FAILED);
    assertThat(error).hasMessageStartingWith("worker w1 failed in wave 3: ");
    assertThat(error).hasMessageContaining("boom 3");
    assertThat(error.getStackTrace()).isNotEmpty();
    await("worker 1 is told", () -> members.worker(1).ended.toString().contains("boom 3"));
  }

  /** A cause that no filter needs to let through. */
  private static final class NotAllowedToTravel extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings({"unused", "serial"}) // makes it fail to be serialized
    private final Object notSerializable = new Object();

    NotAllowedToTravel(int wave) {
      super("boom " + wave);
    }
  }

  @Test
  void failureNamesWorkerWhenItEmitsWrongMessage() {
    MessageId last = forward.call(0, 1);
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    members.worker(1).change = messages -> List.of(GradientMessage.empty(new MessageId(9, 9), 1));
    AttemptOutcome outcome = run(members, plan, members.hosts(), ENOUGH);
    assertThat(((AttemptOutcome.Failed) outcome).error())
        .hasMessageContainingAll("worker w1", "9/9", "the plan does not have");
  }

  @Test
  void jobIsCancelledWhenSubmittedTooLate() throws Exception {
    MessageId last = forward.call(0, 1);
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    CountDownLatch stuck = new CountDownLatch(1);
    members.worker(1).onAdvance = wave -> awaitQuietly(stuck);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch submittedAndCancelled = new CountDownLatch(2);
    JetPassScheduler slow =
        new JetPassScheduler(
            members.member(0),
            task ->
                new Thread(
                        () -> {
                          awaitQuietly(goOn);
                          task.run();
                          submittedAndCancelled.countDown();
                        })
                    .start());

    AttemptOutcome outcome =
        slow.run(null, spec(nextPass(), plan), plan, members.hosts(), Duration.ofMillis(9));
    assertThat(((AttemptOutcome.Failed) outcome).error().status()).isEqualTo(Status.TIMEOUT);

    goOn.countDown();
    assertThat(submittedAndCancelled.await(30, TimeUnit.SECONDS)).isTrue();
    assertNothingIsLeft(members);
    stuck.countDown();
  }

  @Test
  void jobIsRefusedWhenGridCloses() {
    MessageId last = forward.call(0, 1);
    Plan plan = forward.plan(0, last);
    JetPassScheduler closed =
        new JetPassScheduler(
            members.member(0),
            task -> {
              throw new RejectedExecutionException("shut down");
            });
    AttemptOutcome outcome =
        closed.run(null, spec(nextPass(), plan), plan, members.hosts(), ENOUGH);
    assertThat(((AttemptOutcome.Failed) outcome).error().status()).isEqualTo(Status.CLOSED);
  }

  @Test
  void passIsStoppedAtDeadline() throws Exception {
    MessageId last = forward.call(0, 1);
    CountDownLatch stuck = new CountDownLatch(1);
    members.worker(1).onAdvance = wave -> awaitQuietly(stuck);
    scenario(members, Set.of(), last);
    AttemptOutcome outcome =
        run(members, forward.plan(0, last), members.hosts(), Duration.ofMillis(300));
    assertThat(((AttemptOutcome.Failed) outcome).error().status()).isEqualTo(Status.TIMEOUT);
    await("worker 1 is told while it computes", () -> members.worker(1).open.isEmpty());
    stuck.countDown();
  }

  @Test
  void passIsCancelledWhenInterrupted() throws Exception {
    MessageId last = forward.call(0, 1);
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    members.worker(1).onAdvance =
        wave -> {
          running.countDown();
          awaitQuietly(stuck);
        };
    scenario(members, Set.of(), last);
    CompletableFuture<AttemptOutcome> outcome = new CompletableFuture<>();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              outcome.complete(run(members, forward.plan(0, last), members.hosts(), ENOUGH));
              flag.complete(Thread.currentThread().isInterrupted());
            });
    caller.start();
    running.await();
    caller.interrupt();
    assertThat(((AttemptOutcome.Failed) outcome.get()).error().status())
        .isEqualTo(Status.CANCELLED);
    assertThat(flag.get()).isTrue();
    stuck.countDown();
  }

  @Test
  void participantIsReportedLostWhenItLeavesAndOthersMayLeave() throws Exception {
    try (Members four = new Members(4, 31)) {
      MessageId last = forward.call(0, 2, forward.call(0, 1));
      CountDownLatch stuck = new CountDownLatch(1);
      CountDownLatch running = new CountDownLatch(1);
      four.worker(2).onAdvance =
          wave -> {
            running.countDown();
            awaitQuietly(stuck);
          };
      Plan plan = forward.plan(0, last);
      scenario(four, Set.of(), last);

      CompletableFuture<AttemptOutcome> first = submit(four, plan);
      running.await();
      four.member(3).shutdown(); // takes no part: the pass goes on
      assertThat(first).isNotDone();
      four.member(1).shutdown();
      assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(AttemptOutcome.MemberLost.class);
      stuck.countDown();
      assertNothingIsLeft(four);

      // A plan that needs the lost member says so at once; the others go on.
      assertThat(submit(four, plan).get(30, TimeUnit.SECONDS))
          .isInstanceOf(AttemptOutcome.MemberLost.class);
      Forward other = new Forward();
      MessageId reply = other.call(0, 2);
      four.worker(0).scenario = new Multiplier.Scenario(other.all(), List.of(reply), Set.of());
      four.worker(2).scenario = four.worker(0).scenario;
      assertThat(submit(four, other.plan(0, reply)).get(30, TimeUnit.SECONDS))
          .isInstanceOf(AttemptOutcome.Done.class);
      assertNothingIsLeft(four);
    }
  }

  /** A member that shuts down has no other thread any more: the supplier would stay open. */
  @Test
  void supplierIsClosedByJetsOwnThreadUnlessItsAttemptStarts() throws Exception {
    Multiplier worker = members.worker(1);
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    worker.onStart =
        () -> {
          running.countDown();
          awaitQuietly(stuck);
        };
    Plan plan = forward.plan(0, forward.call(0, 1));
    PassId pass = nextPass();
    PassTask task =
        new PassTask(Objects.requireNonNull(members.hosts().get(1L)), spec(pass, plan), List.of());
    PassSupplier supplier = new PassSupplier(pass, 0, task.toBytes());
    assertThat(supplier.closeIsCooperative()).isTrue();
    ProcessorSupplier.Context context =
        new TestProcessorSupplierContext().setHazelcastInstance(members.member(1));
    CompletableFuture<Void> init =
        CompletableFuture.runAsync(
            () -> supplier.init(context), each -> new Thread(each, "init").start());
    running.await();
    assertThat(supplier.closeIsCooperative()).isFalse();
    stuck.countDown();
    init.get(30, TimeUnit.SECONDS);
    assertThat(supplier.closeIsCooperative()).isTrue();
    assertThat(worker.open).containsExactly(pass);
    supplier.close(null);
    assertThat(worker.open).isEmpty();
  }

  @Test
  void workerIsReportedLostWhenItClosesDuringPass() {
    try (Members two = new Members(2, 31)) {
      MessageId last = forward.call(0, 1);
      scenario(two, Set.of(), last);
      two.worker(1).executor.shutdown();
      assertThat(run(two, forward.plan(0, last), two.hosts(), ENOUGH))
          .isInstanceOf(AttemptOutcome.MemberLost.class);
      assertNothingIsLeft(two);
    }
  }

  @Test
  void memberIsReportedLostWhenItDies() throws Exception {
    try (Members three = new Members(3, 31)) {
      MessageId last = forward.call(0, 2, forward.call(0, 1));
      CountDownLatch running = new CountDownLatch(1);
      CountDownLatch stuck = new CountDownLatch(1);
      three.worker(2).onAdvance =
          wave -> {
            running.countDown();
            awaitQuietly(stuck);
          };
      scenario(three, Set.of(), last);
      CompletableFuture<AttemptOutcome> outcome = submit(three, forward.plan(0, last));
      running.await();
      three.member(2).getLifecycleService().terminate();
      assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(AttemptOutcome.MemberLost.class);
      stuck.countDown();
      assertNothingIsLeft(three);
    }
  }

  private GridException failure(Plan plan, MessageId... roots) {
    scenario(members, Set.of(), roots);
    AttemptOutcome outcome = run(members, plan, members.hosts(), ENOUGH);
    return ((AttemptOutcome.Failed) outcome).error();
  }
}
