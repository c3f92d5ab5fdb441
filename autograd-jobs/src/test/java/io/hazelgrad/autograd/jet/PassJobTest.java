package io.hazelgrad.autograd.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.jet.Job;
import io.hazelgrad.autograd.plan.Decisions;
import io.hazelgrad.autograd.plan.Forward;
import io.hazelgrad.autograd.plan.MessageId;
import io.hazelgrad.autograd.plan.Part;
import io.hazelgrad.autograd.plan.Plan;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Passes over real members: gradients are numbers, and every worker multiplies by its own. */
@Timeout(120)
class PassJobTest {
  private static final Duration ENOUGH = Duration.ofSeconds(30);
  private static Members members;
  private static long sequence;

  private final Forward forward = new Forward();

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
    }
  }

  @Test
  void chainOfTenCallsIsTwentyWaves() {
    MessageId last = forward.call(0, 1);
    for (int i = 1; i < 10; i++) {
      last = forward.call(0, 1 + i % 2, last);
    }
    Plan plan = forward.plan(0, last);
    assertThat(plan.waves()).isEqualTo(20);
    runAndCheck(members, plan, Set.of(), last);
  }

  @Test
  void diamondOverThreeWorkersSumsBothSides() {
    MessageId request = forward.send(0, 1);
    MessageId left = forward.send(1, 0, request);
    MessageId right = forward.send(0, 2, left);
    MessageId back = forward.send(2, 0, right);
    runAndCheck(members, forward.plan(0, left, back), Set.of(), left, back);
  }

  @Test
  void aRecvFeedsASendSeveralWavesLater() {
    MessageId early = forward.send(1, 0);
    MessageId a = forward.call(0, 2, early);
    MessageId b = forward.call(0, 1, a);
    MessageId last = forward.send(2, 0, forward.send(0, 2, b, early));
    Plan plan = forward.plan(0, last, early);
    assertThat(plan.messages().get(plan.messages().size() - 1).id()).isEqualTo(early);
    runAndCheck(members, plan, Set.of(), last, early);
  }

  @Test
  void twentyCallsSideBySideAreTwoWaves() {
    List<MessageId> replies = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      replies.add(forward.call(0, 1 + i % 2));
    }
    MessageId[] roots = replies.toArray(MessageId[]::new);
    Plan plan = forward.plan(0, roots);
    assertThat(plan.waves()).isEqualTo(2);
    runAndCheck(members, plan, Set.of(), roots);
  }

  @Test
  void aWorkerThatCallsItselfIsRoutedToItself() {
    MessageId reply = forward.call(0, 0, forward.call(0, 1));
    runAndCheck(members, forward.plan(0, reply), Set.of(), reply);
  }

  @Test
  void emptyMessagesAreCountedToo() {
    MessageId first = forward.call(0, 1);
    MessageId second = forward.call(0, 2, first);
    MessageId third = forward.call(0, 1);
    runAndCheck(members, forward.plan(0, second, third), Set.of(second), second, third);
    assertThat(members.worker(2).taken.values().iterator().next()).isEmpty();
  }

  @Test
  void aPlanWithoutMessagesStartsAndEndsAtTheInitiatorOnly() {
    int before = members.worker(1).ended.size();
    runAndCheck(members, forward.plan(0));
    assertThat(members.worker(1).ended).hasSize(before);
  }

  @Test
  void onlyWavesWithWorkHopThreads() {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    members.workers().forEach(each -> each.hops.set(0));
    runAndCheck(members, forward.plan(0, last), Set.of(), last);
    // Worker 0 runs the roots and takes two requests' gradients; each other takes one reply's.
    assertThat(members.workers()).extracting(each -> each.hops.get()).containsExactly(3, 1, 1);
  }

  @Test
  void oneMemberMayActForSeveralWorkers() {
    MessageId last = forward.call(0, 7, forward.call(0, 1));
    Map<Long, UUID> hosts = new HashMap<>(members.hosts());
    hosts.put(7L, hosts.get(2L));
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    assertThat(run(members, plan, hosts, ENOUGH)).isInstanceOf(Outcome.Done.class);
    assertThat(taken(members.worker(2))).containsOnlyKeys(plan.messages().get(0).id());
  }

  @Test
  void aParticipantsErrorReachesTheSubmitterWithItsStatus() {
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
  void anyOtherErrorIsNamedByWorkerAndWave() {
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
    await(() -> members.worker(1).ended.toString().contains("boom 3"));
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
  void aWorkerThatEmitsSomethingElseIsNamed() {
    MessageId last = forward.call(0, 1);
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    PassId pass = nextPass();
    Outcome outcome =
        PassJob.run(
            members.member(0),
            pass,
            plan,
            members.hosts(),
            part -> spec(pass, plan, new Part(part.sends(), shifted(part.recvs()))),
            ENOUGH);
    assertThat(((Outcome.Failed) outcome).error()).hasMessageContaining("worker w");
  }

  private static List<Part.Recv> shifted(List<Part.Recv> recvs) {
    return recvs.stream()
        .map(each -> each.wave() == 2 ? new Part.Recv(new MessageId(9, 9), 2) : each)
        .toList();
  }

  @Test
  void aPassThatTakesTooLongIsStopped() throws Exception {
    MessageId last = forward.call(0, 1);
    CountDownLatch stuck = new CountDownLatch(1);
    members.worker(1).onAdvance = wave -> awaitQuietly(stuck);
    scenario(members, Set.of(), last);
    Outcome outcome = run(members, forward.plan(0, last), members.hosts(), Duration.ofMillis(300));
    assertThat(((Outcome.Failed) outcome).error().status()).isEqualTo(Status.TIMEOUT);
    await(() -> members.worker(1).open.isEmpty()); // told while it still computes
    stuck.countDown();
  }

  @Test
  void anInterruptCancelsThePass() throws Exception {
    MessageId last = forward.call(0, 1);
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    members.worker(1).onAdvance =
        wave -> {
          running.countDown();
          awaitQuietly(stuck);
        };
    scenario(members, Set.of(), last);
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
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
    assertThat(((Outcome.Failed) outcome.get()).error().status()).isEqualTo(Status.CANCELLED);
    assertThat(flag.get()).isTrue();
    stuck.countDown();
  }

  @Test
  void aMemberThatLeavesGracefullyIsReportedAsLostAndOthersMayLeave() throws Exception {
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

      CompletableFuture<Outcome> first = submit(four, plan);
      running.await();
      four.member(3).shutdown(); // takes no part: the pass goes on
      assertThat(first).isNotDone();
      four.member(1).shutdown();
      assertThat(first.get(30, TimeUnit.SECONDS)).isInstanceOf(Outcome.MemberLost.class);
      stuck.countDown();
      assertNothingIsLeft(four);

      // A plan that needs the lost member says so at once; the others go on.
      assertThat(submit(four, plan).get(30, TimeUnit.SECONDS))
          .isInstanceOf(Outcome.MemberLost.class);
      Forward other = new Forward();
      MessageId reply = other.call(0, 2);
      four.worker(0).scenario = new Multiplier.Scenario(other.all(), List.of(reply), Set.of());
      four.worker(2).scenario = four.worker(0).scenario;
      assertThat(submit(four, other.plan(0, reply)).get(30, TimeUnit.SECONDS))
          .isInstanceOf(Outcome.Done.class);
      assertNothingIsLeft(four);
    }
  }

  @Test
  void aMemberThatDiesIsReportedAsLost() throws Exception {
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
      CompletableFuture<Outcome> outcome = submit(three, forward.plan(0, last));
      running.await();
      three.member(2).getLifecycleService().terminate();
      assertThat(outcome.get(30, TimeUnit.SECONDS)).isInstanceOf(Outcome.MemberLost.class);
      stuck.countDown();
      assertNothingIsLeft(three);
    }
  }

  @Test
  void membersWithoutPartitionsTakePart() {
    try (Members three = new Members(3, 2)) {
      MessageId last = forward.call(0, 2, forward.call(0, 1));
      runAndCheck(three, forward.plan(0, last), Set.of(), last);
      assertNothingIsLeft(three);
    }
  }

  @Test
  void aClientMaySubmit() {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    HazelcastInstance client = members.client();
    try {
      PassId pass = nextPass();
      Outcome outcome =
          PassJob.run(client, pass, plan, members.hosts(), part -> spec(pass, plan, part), ENOUGH);
      assertThat(outcome).isInstanceOf(Outcome.Done.class);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void manyPassesRunAtATime() throws Exception {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      outcomes.add(submit(members, plan));
    }
    for (CompletableFuture<Outcome> each : outcomes) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isInstanceOf(Outcome.Done.class);
    }
  }

  @Test
  void measureSubmitToJoin() {
    for (int waves : new int[] {1, 3, 8, 20, 100}) {
      Forward chain = new Forward();
      List<MessageId> sent = new ArrayList<>();
      for (int i = 0; i < waves; i++) {
        boolean toInitiator = (waves - i) % 2 == 1;
        MessageId[] below = sent.isEmpty() ? new MessageId[0] : new MessageId[] {sent.get(i - 1)};
        sent.add(chain.send(toInitiator ? 1 : 0, toInitiator ? 0 : 1, below));
      }
      MessageId last = sent.get(waves - 1);
      Plan plan = chain.plan(0, last);
      members
          .workers()
          .forEach(
              each ->
                  each.scenario = new Multiplier.Scenario(chain.all(), List.of(last), Set.of()));
      long[] nanos = new long[waves > 50 ? 50 : 300];
      for (int i = 0; i < nanos.length; i++) {
        long before = System.nanoTime();
        assertThat(run(members, plan, members.hosts(), ENOUGH)).isInstanceOf(Outcome.Done.class);
        nanos[i] = System.nanoTime() - before;
      }
      Arrays.sort(nanos);
      System.out.printf(
          "%d waves: submit to join p50 %.2f ms, p90 %.2f ms%n",
          waves, nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 9 / 10] / 1e6);
    }
  }

  private GridException failure(Plan plan, MessageId... roots) {
    scenario(members, Set.of(), roots);
    Outcome outcome = run(members, plan, members.hosts(), ENOUGH);
    return ((Outcome.Failed) outcome).error();
  }

  private void scenario(Members on, Set<MessageId> dry, MessageId... roots) {
    for (Multiplier each : on.workers()) {
      each.scenario = new Multiplier.Scenario(forward.all(), List.of(roots), dry);
      each.taken.clear();
    }
  }

  private void runAndCheck(Members on, Plan plan, Set<MessageId> dry, MessageId... roots) {
    scenario(on, dry, roots);
    assertThat(run(on, plan, on.hosts(), ENOUGH)).isInstanceOf(Outcome.Done.class);
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

  private void runAndCheck(Members on, Plan plan) {
    runAndCheck(on, plan, Set.of());
  }

  private static Map<MessageId, Double> taken(Multiplier worker) {
    return worker.taken.values().stream().findFirst().orElse(Map.of());
  }

  private static CompletableFuture<Outcome> submit(Members on, Plan plan) {
    Map<Long, UUID> hosts = new HashMap<>(on.hosts());
    plan.participants().forEach(each -> hosts.putIfAbsent(each, new UUID(0, each)));
    return CompletableFuture.supplyAsync(
        () -> run(on, plan, hosts, ENOUGH), task -> new Thread(task).start());
  }

  private static Outcome run(Members on, Plan plan, Map<Long, UUID> hosts, Duration timeout) {
    PassId pass = nextPass();
    return PassJob.run(on.member(0), pass, plan, hosts, part -> spec(pass, plan, part), timeout);
  }

  private static synchronized PassId nextPass() {
    return new PassId(0, ++sequence, 0);
  }

  private static PassSpec spec(PassId pass, Plan plan, Part part) {
    return new PassSpec(pass, 0, 5, false, Decisions.NONE, plan.waves(), part);
  }

  private static void assertNothingIsLeft(Members on) {
    for (HazelcastInstance each : on.running()) {
      await(() -> each.getJet().getJobs().stream().noneMatch(PassJobTest::active));
      await(() -> Objects.requireNonNull(runs(each)).isEmpty());
    }
    for (Multiplier each : on.workers()) {
      await(each.open::isEmpty);
      assertThat(each.faults).as("starts without end, or ends without start").hasValue(0);
    }
  }

  private static boolean active(Job job) {
    return !job.getFuture().isDone();
  }

  private static Map<?, ?> runs(HazelcastInstance member) {
    return (Map<?, ?>)
        member.getUserContext().getOrDefault("io.hazelgrad.autograd.jet.runs", Map.of());
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + ENOUGH.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
