package io.hazelgrad.autograd.internal.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.jet.JetException;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.core.metrics.JobMetrics;
import com.hazelcast.jet.core.metrics.MeasurementPredicates;
import com.hazelcast.jet.core.metrics.MetricTags;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Passes that are normal jobs of Jet, which have a name and leave metrics. */
class NamedPassTest extends PassTest {
  private static AttemptOutcome run(Members on, String name, Plan plan) {
    return jobs(on.member(0)).run(name, spec(nextPass(), plan), plan, on.hosts(), ENOUGH);
  }

  private static Job job(String name) {
    return Objects.requireNonNull(members.member(0).getJet().getJob(name));
  }

  private static long metric(JobMetrics metrics, String vertex, String name) {
    return metrics
        .filter(MeasurementPredicates.tagValueEquals(MetricTags.VERTEX, vertex))
        .get(name)
        .stream()
        .mapToLong(each -> each.value())
        .sum();
  }

  @Test
  void metricsHaveGradientsBytesAndTimeByWaveAndWorker() {
    MessageId first = forward.call(0, 1);
    MessageId second = forward.call(0, 2);
    Plan plan = forward.plan(0, first, second).withNames(Map.of(0L, "A", 1L, "B", 2L, "C"));
    scenario(members, Set.of(), first, second);
    members.worker(1).onAdvance = wave -> busyFor(25);

    assertThat(run(members, "hazelgrad.named", plan)).isInstanceOf(AttemptOutcome.Done.class);

    Job job = job("hazelgrad.named");
    assertThat(job.getStatus()).isEqualTo(JobStatus.COMPLETED);
    JobMetrics metrics = job.getMetrics();
    assertThat(metric(metrics, "wave-1@B", "gradients")).isEqualTo(1);
    assertThat(metric(metrics, "wave-1@B", "bytes")).isEqualTo(Double.BYTES);
    assertThat(metric(metrics, "wave-1@B", "milliseconds")).isGreaterThanOrEqualTo(20);
    assertThat(metric(metrics, "wave-1@C", "gradients")).isEqualTo(1);
    assertThat(metric(metrics, "wave-2@A", "gradients")).isEqualTo(2);
    assertThat(metric(metrics, "wave-2@A", "bytes")).isEqualTo(2 * Double.BYTES);
    assertThat(metrics.get("gradients").stream().mapToLong(each -> each.value()).sum())
        .isEqualTo(4);
  }

  private static void busyFor(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void emptyMessagesCountNoGradient() {
    MessageId reply = forward.call(0, 1);
    Plan plan = forward.plan(0, reply);
    scenario(members, Set.of(reply), reply);
    assertThat(run(members, "hazelgrad.empty", plan)).isInstanceOf(AttemptOutcome.Done.class);
    assertThat(metric(job("hazelgrad.empty").getMetrics(), "wave-1@1", "gradients")).isZero();
  }

  @Test
  void nameIsFreeWhenItsJobHasEnded() throws Exception {
    MessageId reply = forward.call(0, 1);
    Plan plan = forward.plan(0, reply);
    scenario(members, Set.of(), reply);
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    members.worker(1).onAdvance =
        wave -> {
          running.countDown();
          awaitQuietly(goOn);
        };
    CompletableFuture<AttemptOutcome> first =
        CompletableFuture.supplyAsync(() -> run(members, "hazelgrad.twice", plan));
    running.await();
    GridException refused = ((AttemptOutcome.Failed) run(members, "hazelgrad.twice", plan)).error();
    assertThat(refused.status()).isEqualTo(Status.NAME_TAKEN);
    assertThat(refused).hasMessageContaining("hazelgrad.twice");
    goOn.countDown();
    assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(AttemptOutcome.Done.class);
    assertThat(run(members, "hazelgrad.twice", plan)).isInstanceOf(AttemptOutcome.Done.class);
  }

  @Test
  void errorOfParticipantKeepsStatus() {
    MessageId reply = forward.call(0, 1);
    scenario(members, Set.of(), reply);
    members.worker(1).onStart =
        () -> {
          throw new GridException(Status.GRAPH_FREED, "worker w1: mul was freed");
        };
    AttemptOutcome outcome = run(members, "hazelgrad.failing", forward.plan(0, reply));
    GridException error = ((AttemptOutcome.Failed) outcome).error();
    assertThat(error.status()).isEqualTo(Status.GRAPH_FREED);
    assertThat(error).hasMessageContaining("worker w1: mul was freed");
    assertThat(job("hazelgrad.failing").getStatus()).isEqualTo(JobStatus.FAILED);
  }

  /** As it comes from a job that had failed before anybody waited for it. */
  @Test
  void reportedErrorKeepsStatus() {
    GridException thrown = new GridException(Status.PASS_CONFLICT, "node in use");
    GridException told =
        JobFailures.fromText(new JetException("Exception in x: " + thrown + "\n\tat y"));
    assertThat(Objects.requireNonNull(told).status()).isEqualTo(Status.PASS_CONFLICT);
    assertThat(told).hasMessage("node in use");
    assertThat(JobFailures.fromText(new JetException("something else"))).isNull();
  }

  @Test
  void memberIsReportedLostAndJobIsNotRestartedWhenItDies() throws Exception {
    try (Members three = new Members(3, 31)) {
      Forward chain = new Forward();
      MessageId reply = chain.call(0, 2);
      CountDownLatch running = new CountDownLatch(1);
      CountDownLatch stuck = new CountDownLatch(1);
      three.worker(2).onAdvance =
          wave -> {
            running.countDown();
            awaitQuietly(stuck);
          };
      for (Multiplier each : three.workers()) {
        each.scenario = new Multiplier.Scenario(chain.all(), List.of(reply), Set.of());
      }
      Plan plan = chain.plan(0, reply);
      CompletableFuture<AttemptOutcome> outcome =
          CompletableFuture.supplyAsync(() -> run(three, "hazelgrad.lost", plan));
      running.await();
      three.member(2).getLifecycleService().terminate();
      assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(AttemptOutcome.MemberLost.class);
      stuck.countDown();
      assertNothingIsLeft(three);
    }
  }
}
