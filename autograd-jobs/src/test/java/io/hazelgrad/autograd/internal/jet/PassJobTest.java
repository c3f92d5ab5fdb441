package io.hazelgrad.autograd.internal.jet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.autograd.internal.pass.AttemptOutcome;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.Plan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Passes over real members: gradients are numbers, and every worker multiplies by its own. */
class PassJobTest extends PassTest {
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
  void recvFeedsSendSeveralWavesLater() {
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
  void messageIsRoutedToSelfWhenWorkerCallsItself() {
    MessageId reply = forward.call(0, 0, forward.call(0, 1));
    runAndCheck(members, forward.plan(0, reply), Set.of(), reply);
  }

  @Test
  void emptyMessagesAreCounted() {
    MessageId first = forward.call(0, 1);
    MessageId second = forward.call(0, 2, first);
    MessageId third = forward.call(0, 1);
    runAndCheck(members, forward.plan(0, second, third), Set.of(second), second, third);
    assertThat(members.worker(2).taken.values().iterator().next()).isEmpty();
  }

  @Test
  void planWithoutMessagesRunsAtInitiatorOnly() {
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
    assertThat(run(members, plan, hosts, ENOUGH)).isInstanceOf(AttemptOutcome.Done.class);
    assertThat(taken(members.worker(2))).containsOnlyKeys(plan.messages().get(0).id());
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
  void clientMaySubmitJob() {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    HazelcastInstance client = members.client();
    try {
      AttemptOutcome outcome =
          jobs(client).run(null, spec(nextPass(), plan), plan, members.hosts(), ENOUGH);
      assertThat(outcome).isInstanceOf(AttemptOutcome.Done.class);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void manyPassesRunConcurrently() throws Exception {
    MessageId last = forward.call(0, 2, forward.call(0, 1));
    Plan plan = forward.plan(0, last);
    scenario(members, Set.of(), last);
    List<CompletableFuture<AttemptOutcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      outcomes.add(submit(members, plan));
    }
    for (CompletableFuture<AttemptOutcome> each : outcomes) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isInstanceOf(AttemptOutcome.Done.class);
    }
  }

  @Test
  void measureSubmitToJoin() {
    int rounds = Boolean.getBoolean("hazelgrad.tests.full") ? 300 : 20;
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
      long[] nanos = new long[waves > 50 ? Math.min(rounds, 50) : rounds];
      for (int i = 0; i < nanos.length; i++) {
        long before = System.nanoTime();
        assertThat(run(members, plan, members.hosts(), ENOUGH))
            .isInstanceOf(AttemptOutcome.Done.class);
        nanos[i] = System.nanoTime() - before;
      }
      Arrays.sort(nanos);
      System.out.printf(
          "%d waves: submit to join p50 %.2f ms, p90 %.2f ms%n",
          waves, nanos[nanos.length / 2] / 1e6, nanos[nanos.length * 9 / 10] / 1e6);
    }
  }
}
