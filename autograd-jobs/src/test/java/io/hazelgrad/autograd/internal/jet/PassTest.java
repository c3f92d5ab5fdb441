package io.hazelgrad.autograd.internal.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.Plan;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** Passes over real members, for tests: runs them, checks them, and looks for what they leave. */
@Timeout(120)
abstract class PassTest {
  static final Duration ENOUGH = Duration.ofSeconds(30);
  static Members members;
  private static long sequence;

  final Forward forward = new Forward();

  @BeforeAll
  static void start() {
    members = new Members(3, 271);
  }

  @AfterAll
  static void stop() {
    members.close();
  }

  @AfterEach
  void nothingIsLeft() {
    assertNothingIsLeft(members);
    for (Multiplier each : members.workers()) {
      each.onAdvance = wave -> {};
      each.onStart = () -> {};
      each.change = messages -> messages;
    }
  }

  void scenario(Members on, Set<MessageId> dry, MessageId... roots) {
    for (Multiplier each : on.workers()) {
      each.scenario = new Multiplier.Scenario(forward.all(), List.of(roots), dry);
      each.taken.clear();
    }
  }

  void runAndCheck(Members on, Plan plan, Set<MessageId> dry, MessageId... roots) {
    scenario(on, dry, roots);
    assertThat(run(on, plan, on.hosts(), ENOUGH)).isInstanceOf(AttemptOutcome.Done.class);
    // The same arithmetic in one place, in plan order.
    Map<MessageId, Double> expected = new HashMap<>();
    List<MessageId> all = plan.messages().stream().map(Plan.Entry::id).toList();
    for (MessageId each : all) {
      Double gradient = on.worker(0).scenario.gradient(each, expected, all);
      if (gradient != null) {
        expected.put(each, gradient);
      }
    }
    Map<MessageId, Double> taken = new HashMap<>();
    on.workers().forEach(each -> taken.putAll(taken(each)));
    assertThat(taken).isEqualTo(expected);
  }

  void runAndCheck(Members on, Plan plan) {
    runAndCheck(on, plan, Set.of());
  }

  static Map<MessageId, Double> taken(Multiplier worker) {
    return worker.taken.values().stream().findFirst().orElse(Map.of());
  }

  static CompletableFuture<AttemptOutcome> submit(Members on, Plan plan) {
    Map<Long, UUID> hosts = new HashMap<>(on.hosts());
    plan.participants().forEach(each -> hosts.putIfAbsent(each, new UUID(0, each)));
    return CompletableFuture.supplyAsync(
        () -> run(on, plan, hosts, ENOUGH), task -> new Thread(task).start());
  }

  static AttemptOutcome run(Members on, Plan plan, Map<Long, UUID> hosts, Duration timeout) {
    return jobs(on.member(0)).run(null, spec(nextPass(), plan), plan, hosts, timeout);
  }

  static JetPassScheduler jobs(HazelcastInstance hazelcast) {
    return new JetPassScheduler(hazelcast, task -> new Thread(task, "jobs").start());
  }

  static synchronized PassId nextPass() {
    return new PassId(0, ++sequence, 0);
  }

  static PassSpec spec(PassId pass, Plan plan) {
    return new PassSpec(
        pass, new ContextId(0, 5), false, PassDecisions.NONE, plan.waves(), Map.of());
  }

  static void assertNothingIsLeft(Members on) {
    for (HazelcastInstance each : on.running()) {
      await("no job runs", () -> each.getJet().getJobs().stream().noneMatch(PassTest::active));
      await("no attempt is open", () -> Objects.requireNonNull(runs(each)).isEmpty());
    }
    for (Multiplier each : on.workers()) {
      await("no pass is open at " + each.worker(), each.open::isEmpty);
      assertThat(each.faults).as("starts without end, or ends without start").hasValue(0);
    }
  }

  /** A normal job's future would only begin to ask; a light one's status is not to be had. */
  static boolean active(Job job) {
    return job.isLightJob() ? !job.getFuture().isDone() : !job.getStatus().isTerminal();
  }

  static Map<?, ?> runs(HazelcastInstance member) {
    return (Map<?, ?>)
        member.getUserContext().getOrDefault("io.hazelgrad.autograd.jet.runs", Map.of());
  }

  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + ENOUGH.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline of: " + what).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
