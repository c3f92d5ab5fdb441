package io.hazelgrad.autograd.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Advance;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Done;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Reply;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Send;
import io.hazelgrad.autograd.internal.calls.PassStateMachine.Step;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Forward;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.autograd.internal.plan.Planner;
import io.hazelgrad.grid.GridException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Hosts in every order of events for small plans, and in random orders for large ones. */
class PassStateMachineTest {
  private static final long A = 10;
  private static final long B = 11;
  private static final long C = 12;
  private static final long CLIENT = 20;

  private final Forward forward = new Forward();

  /** Hosts and what is under way between them; somebody else chooses what comes next. */
  private static final class Network {
    private final Plan plan;
    private final Map<Long, Long> relays;
    private final Map<Long, PassStateMachine> hosts = new LinkedHashMap<>();
    private final List<Runnable> underWay = new ArrayList<>();
    private final Map<Long, Integer> waves = new HashMap<>();
    private final Set<MessageId> taken = new HashSet<>();
    private final Map<Long, Integer> dones = new HashMap<>();
    private final Set<Long> known = new HashSet<>();
    private int letters;
    private int open;

    Network(Plan plan, Map<Long, Long> relays) {
      this.plan = plan;
      this.relays = relays;
      Map<Long, Map<Long, PlanPart>> parts = new LinkedHashMap<>();
      for (long worker : plan.participants()) {
        parts.computeIfAbsent(host(worker), any -> new HashMap<>()).put(worker, plan.part(worker));
      }
      long coordinator = host(plan.initiator());
      parts.forEach(
          (host, of) -> {
            PassSpec spec =
                new PassSpec(
                    new PassId(plan.initiator(), 1, 0),
                    new ContextId(plan.initiator(), 1),
                    false,
                    PassDecisions.NONE,
                    plan.waves(),
                    of);
            hosts.put(host, new PassStateMachine(spec, host, coordinator, this::host));
          });
      hosts.forEach((host, steps) -> underWay.add(() -> perform(host, steps.start())));
    }

    private long host(long worker) {
      return relays.getOrDefault(worker, worker);
    }

    private PassStateMachine steps(long host) {
      return hosts.get(host);
    }

    private void perform(long host, List<Step> steps) {
      for (Step step : steps) {
        if (step instanceof Advance advance) {
          check(host, advance);
          underWay.add(() -> perform(host, steps(host).advanced(made(host, advance.wave()))));
        } else if (step instanceof Send send) {
          letters++;
          open++;
          underWay.add(
              () ->
                  perform(
                      send.host(),
                      steps(send.host()).arrived(send.wave(), host, send.messages(), true)));
        } else if (step instanceof Reply answer) {
          open--;
          underWay.add(() -> answered(host, answer));
        } else if (step instanceof Done done) {
          dones.merge(host, 1, Integer::sum);
          if (!done.isReported()) {
            assertThat(known.add(host)).isTrue();
          }
        }
      }
    }

    private void answered(long host, Reply answer) {
      if (answer.isLast()) {
        assertThat(answer.host()).isEqualTo(host(plan.initiator()));
        assertThat(known.add(host)).isTrue();
      }
      if (!answer.messages().isEmpty()) {
        perform(
            answer.host(),
            steps(answer.host()).arrived(answer.wave() + 1, host, answer.messages(), false));
      }
    }

    private void check(long host, Advance advance) {
      Integer before = waves.put(host, advance.wave());
      assertThat(before == null || before < advance.wave()).isTrue();
      Set<MessageId> expected = new HashSet<>();
      for (Plan.Entry each : plan.messages()) {
        if (each.wave() == advance.wave() && host(each.message().sender()) == host) {
          expected.add(each.id());
        }
      }
      assertThat(advance.taken())
          .extracting(GradientMessage::message)
          .containsExactlyInAnyOrderElementsOf(expected);
      taken.addAll(expected);
    }

    private List<GradientMessage> made(long host, int wave) {
      List<GradientMessage> made = new ArrayList<>();
      for (Plan.Entry each : plan.messages()) {
        if (each.wave() == wave + 1 && host(each.message().receiver()) == host) {
          made.add(GradientMessage.empty(each.id(), 1));
        }
      }
      return made;
    }

    /** Lets everything come, one after the other, in the order that is chosen. */
    void run(IntUnaryOperator choice) {
      while (!underWay.isEmpty()) {
        underWay.remove(choice.applyAsInt(underWay.size())).run();
      }
      assertThat(taken).hasSameSizeAs(plan.messages());
      assertThat(open).as("letters without an answer").isZero();
      assertThat(dones.keySet()).isEqualTo(hosts.keySet());
      assertThat(dones.values()).containsOnly(1);
      assertThat(known).as("what the coordinator knows").isEqualTo(hosts.keySet());
    }
  }

  /** Runs every order in which what is under way can come. */
  private static int runAll(Plan plan, Map<Long, Long> relays) {
    List<Integer> choices = new ArrayList<>();
    int runs = 0;
    boolean more = true;
    while (more) {
      List<Integer> options = new ArrayList<>();
      new Network(plan, relays)
          .run(
              size -> {
                int place = options.size();
                options.add(size);
                if (place == choices.size()) {
                  choices.add(0);
                }
                return choices.get(place);
              });
      runs++;
      more = false;
      for (int i = options.size() - 1; i >= 0 && !more; i--) {
        if (choices.get(i) + 1 < options.get(i)) {
          choices.set(i, choices.get(i) + 1);
          choices.subList(i + 1, choices.size()).clear();
          more = true;
        }
      }
    }
    return runs;
  }

  private int letters(Plan plan) {
    Network network = new Network(plan, Map.of());
    network.run(size -> 0);
    return network.letters;
  }

  @Test
  void oneCallIsOneBatchAndItsReply() {
    Plan plan = forward.plan(A, forward.call(A, B));
    runAll(plan, Map.of());
    assertThat(letters(plan)).isEqualTo(1);
  }

  @Test
  void chainHasOneBatchForEachCall() {
    MessageId reply = forward.call(A, B);
    for (int i = 0; i < 9; i++) {
      reply = forward.call(A, B, reply);
    }
    assertThat(letters(forward.plan(A, reply))).isEqualTo(10);
  }

  @Test
  void diamondOverThreeHostsEndsInEveryOrder() {
    MessageId left = forward.call(A, B);
    MessageId right = forward.call(A, C);
    assertThat(runAll(forward.plan(A, left, right), Map.of())).isGreaterThan(100);
  }

  @Test
  void nestedCallEndsInEveryOrder() {
    MessageId request = forward.send(A, B);
    MessageId nested = forward.call(B, C, request);
    MessageId reply = forward.send(B, A, nested);
    assertThat(runAll(forward.plan(A, reply), Map.of())).isGreaterThan(10);
  }

  /** B's gradient comes in wave 1 and in wave 4, when C's has come back. */
  @Test
  void messageUsedTwiceEndsInEveryOrder() {
    MessageId shared = forward.send(B, A);
    MessageId other = forward.call(A, C, shared);
    assertThat(runAll(forward.plan(A, shared, other), Map.of())).isGreaterThan(10);
  }

  @Test
  void clientWithRelayAsHostEndsInEveryOrder() {
    MessageId there = forward.call(CLIENT, B);
    MessageId back = forward.call(CLIENT, A, there);
    assertThat(runAll(forward.plan(CLIENT, back), Map.of(CLIENT, A))).isPositive();
  }

  @Test
  void randomPlansEndInRandomOrders() {
    Random random = new Random(7);
    for (int run = 0; run < 2_000; run++) {
      Forward made = new Forward();
      Plan plan = randomPlan(made, random);
      Map<Long, Long> relays = random.nextBoolean() ? Map.of() : Map.of(3L, 1L, 4L, 2L);
      new Network(plan, relays).run(random::nextInt);
    }
  }

  /** Calls between five workers, each with arguments that its caller has. */
  private static Plan randomPlan(Forward made, Random random) {
    Map<Long, List<MessageId>> received = new HashMap<>();
    for (int call = 0; call < 12; call++) {
      long from = call == 11 ? 0 : random.nextInt(5);
      long to = (from + 1 + random.nextInt(4)) % 5;
      List<MessageId> has = received.computeIfAbsent(from, any -> new ArrayList<>());
      List<MessageId> below = has.stream().filter(any -> random.nextInt(3) > 0).toList();
      MessageId request = made.send(from, to, below.toArray(MessageId[]::new));
      received.computeIfAbsent(to, any -> new ArrayList<>()).add(request);
      List<MessageId> there =
          received.get(to).stream().filter(any -> random.nextBoolean()).toList();
      has.add(made.send(to, from, there.toArray(MessageId[]::new)));
    }
    return (Plan) Planner.step(0, List.copyOf(received.get(0L)), made.all());
  }

  @Test
  void messageIsRefusedByNameWhenNotInPlan() {
    MessageId reply = forward.call(A, B);
    Plan plan = forward.plan(A, reply);
    PassStateMachine steps = new Network(plan, Map.of()).steps(B);
    GradientMessage message = GradientMessage.empty(reply, 1);
    assertThat(steps.arrived(1, A, List.of(message), true)).hasSize(1);
    assertThatThrownBy(() -> steps.arrived(1, A, List.of(message), true))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("wave 1")
        .hasMessageContaining(reply.toString());
    assertThatThrownBy(() -> steps.advanced(List.of()))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("not made");
  }
}
