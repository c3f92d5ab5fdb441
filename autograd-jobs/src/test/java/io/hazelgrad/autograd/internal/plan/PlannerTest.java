package io.hazelgrad.autograd.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.WireInput;
import io.hazelgrad.grid.spi.WireOutput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which messages of a forward pass take part in a backward pass, and when. */
class PlannerTest {
  private static final long A = 10;
  private static final long B = 11;
  private static final long C = 12;

  private final Forward forward = new Forward();

  @Test
  void oneCallHasTwoWaves() {
    MessageId reply = forward.call(A, B);
    Plan plan = forward.plan(A, reply);
    assertThat(plan.waves()).isEqualTo(2);
    assertThat(plan.participants()).containsExactly(A, B);
    assertThat(plan.part(B).sends()).containsExactly(new PlanPart.Send(reply, 1, 0));
    assertThat(plan.part(B).recvs()).extracting(PlanPart.Recv::wave).containsExactly(2);
  }

  @Test
  void planHasNoWaveWithoutMessages() {
    forward.call(A, B);
    Plan plan = forward.plan(A);
    assertThat(plan.waves()).isZero();
    assertThat(plan.participants()).containsExactly(A);
    assertThat(plan.part(A)).isEqualTo(new PlanPart(List.of(), List.of()));
  }

  @Test
  void unusedReplyIsNotAwaited() {
    MessageId used = forward.call(A, B);
    MessageId unused = forward.call(A, B, used);
    assertThat(forward.plan(A, used).messages()).extracting(Plan.Entry::id).doesNotContain(unused);
  }

  @Test
  void messageFollowsDependenciesOfItsRecvNode() {
    MessageId shared = forward.send(B, A);
    MessageId reply = forward.call(A, C, forward.call(A, B, shared), shared);
    Plan plan = forward.plan(A, shared, reply); // a root reaches it at once, but it comes last
    assertThat(wave(plan, shared)).isEqualTo(5);
    assertThat(plan.messages().get(plan.messages().size() - 1).id()).isEqualTo(shared);
  }

  @Test
  void alternatingWorkersAreNoCycle() {
    MessageId there = forward.send(A, B);
    MessageId back = forward.send(B, A, there);
    MessageId again = forward.send(A, B, back);
    MessageId end = forward.send(B, A, again);
    assertThat(forward.plan(A, end).waves()).isEqualTo(4);
  }

  @Test
  void cycleOfMessagesIsRefused() {
    MessageGraph graph = new MessageGraph();
    MessageId there = new MessageId(A, 1);
    MessageId back = new MessageId(B, 1);
    graph.add(new MessageDescriptor(there, B, 1, List.of(back)));
    graph.add(new MessageDescriptor(back, A, 1, List.of(there)));
    assertThatThrownBy(() -> Planner.step(A, List.of(back), graph))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("lie below themselves");
  }

  @Test
  void messageBelowAnotherWasReceivedByItsSender() {
    MessageGraph graph = new MessageGraph();
    MessageId elsewhere = new MessageId(B, 1);
    graph.add(new MessageDescriptor(elsewhere, C, 1, List.of()));
    assertThatThrownBy(() -> Planner.step(A, List.of(elsewhere), graph))
        .hasMessageContaining("message 11/1 went to worker 12, but worker 10 says");
  }

  @Test
  void unknownPartsAreRequestedUntilPlanIsComplete() {
    MessageId last = forward.call(A, C, forward.call(A, B));
    MessageGraph known = new MessageGraph();
    PlanningStep step = Planner.step(A, List.of(last), known);
    int questions = 0;
    while (step instanceof PlanningStep.Missing missing) {
      questions += missing.messages().size();
      missing.messages().forEach(each -> known.add(forward.get(each)));
      step = Planner.step(A, List.of(last), known);
    }
    assertThat(questions).isEqualTo(4);
    assertThat(step).hasToString(forward.plan(A, last).toString());
  }

  @Test
  void chainOfTenThousandMessagesIsPlanned() {
    MessageId last = forward.call(A, B);
    for (int i = 1; i < 5_000; i++) {
      last = forward.call(A, i % 2 == 0 ? B : C, last);
    }
    assertThat(forward.plan(A, last).waves()).isEqualTo(10_000);
  }

  /** Same structure under other ids and other arrival orders: same plan. */
  @Test
  void planDependsOnStructureOnly() {
    for (long seed = 0; seed < 50; seed++) {
      List<MessageDescriptor> made = random(new Random(seed), 40);
      List<MessageDescriptor> renamed = made.stream().map(PlannerTest::renamed).toList();
      MessageGraph first = new MessageGraph();
      made.forEach(first::add);
      MessageGraph second = new MessageGraph();
      for (int i = renamed.size() - 1; i >= 0; i--) {
        second.add(renamed.get(i));
      }
      List<MessageId> roots =
          made.stream().filter(each -> each.receiver() == A).map(MessageDescriptor::id).toList();
      Plan one = (Plan) Planner.step(A, roots, first);
      Plan two = (Plan) Planner.step(A, roots.stream().map(PlannerTest::renamed).toList(), second);
      assertThat(two.messages())
          .extracting(Plan.Entry::id)
          .isEqualTo(one.messages().stream().map(each -> renamed(each.id())).toList());
      assertLongestPaths(one, made, roots);
    }
  }

  private static void assertLongestPaths(
      Plan plan, List<MessageDescriptor> all, List<MessageId> roots) {
    Map<MessageId, Integer> longest = new HashMap<>();
    roots.forEach(each -> longest.put(each, 1));
    for (int i = all.size() - 1; i >= 0; i--) { // later messages lie above earlier ones
      Integer wave = longest.get(all.get(i).id());
      if (wave != null) {
        all.get(i).below().forEach(each -> longest.merge(each, wave + 1, Math::max));
      }
    }
    Map<MessageId, Integer> planned = new HashMap<>();
    plan.messages().forEach(each -> planned.put(each.id(), each.wave()));
    assertThat(planned).isEqualTo(longest);
  }

  private static List<MessageDescriptor> random(Random random, int count) {
    List<MessageDescriptor> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long from = A + random.nextInt(3);
      List<MessageId> below = new ArrayList<>();
      for (MessageDescriptor each : made) {
        if (each.receiver() == from && random.nextInt(3) == 0) {
          below.add(each.id());
        }
      }
      made.add(new MessageDescriptor(new MessageId(from, i), A + random.nextInt(3), 1, below));
    }
    return made;
  }

  private static MessageDescriptor renamed(MessageDescriptor each) {
    return new MessageDescriptor(
        renamed(each.id()),
        each.receiver(),
        1,
        each.below().stream().map(PlannerTest::renamed).toList());
  }

  private static MessageId renamed(MessageId id) {
    return new MessageId(id.worker(), Long.hashCode(id.sequence() * 0x9E3779B97F4A7C15L));
  }

  @Test
  void descriptorReachesEachWorkerOnce() {
    MessageId last = forward.call(A, B);
    for (int i = 1; i < 20; i++) {
      last = forward.call(A, i % 2 == 0 ? B : C, last);
    }
    Map<MessageId, Set<Long>> receivers = new HashMap<>();
    for (List<MessageDescriptor> each : forward.carried) {
      long receiver = each.get(each.size() - 1).receiver();
      for (MessageDescriptor carried : each) {
        assertThat(receivers.computeIfAbsent(carried.id(), any -> new HashSet<>()).add(receiver))
            .isTrue();
      }
    }
    assertThat(forward.graph(A).size()).isEqualTo(40);
    assertThat(forward.graph(C).size()).isEqualTo(40); // the last call went to C, so C knows all
  }

  @Test
  void descriptorIsSentAgainWhenItsCarrierIsLost() {
    MessageGraph a = new MessageGraph();
    MessageId fromB = new MessageId(B, 1);
    a.addFrom(B, List.of(new MessageDescriptor(fromB, A, 1, List.of())));
    assertThat(a.unknownTo(B, List.of(fromB))).isEmpty();
    assertThat(a.unknownTo(C, List.of(fromB)))
        .extracting(MessageDescriptor::id)
        .containsExactly(fromB);
    assertThat(a.unknownTo(C, List.of(fromB))).isEmpty();
    a.forgetSent(C, List.of(fromB));
    assertThat(a.unknownTo(C, List.of(fromB))).hasSize(1);
  }

  @Test
  void descriptorIsRefusedWhenIdIsTaken() {
    MessageGraph graph = new MessageGraph();
    MessageId id = new MessageId(A, 1);
    graph.add(new MessageDescriptor(id, B, 1, List.of()));
    graph.add(new MessageDescriptor(id, B, 1, List.of()));
    assertThatThrownBy(() -> graph.add(new MessageDescriptor(id, C, 1, List.of())))
        .isInstanceOf(GridException.class);
  }

  @Test
  void descriptorsAndPartsSurviveWire() {
    MessageId last = forward.call(A, C, forward.call(A, B));
    List<MessageDescriptor> sent = forward.graph(A).unknownTo(99, List.of(last));
    assertThat(sent).hasSize(4);
    WireOutput out = new WireOutput();
    MessageDescriptor.writeAll(sent, out);
    forward.plan(A, last).part(A).write(out);
    WireInput in = new WireInput(out.toBytes());
    assertThat(MessageDescriptor.readAll(in)).isEqualTo(sent);
    assertThat(PlanPart.read(in)).isEqualTo(forward.plan(A, last).part(A));
    in.end();
  }

  private static int wave(Plan plan, MessageId id) {
    return plan.messages().stream().filter(each -> each.id().equals(id)).findFirst().get().wave();
  }
}
