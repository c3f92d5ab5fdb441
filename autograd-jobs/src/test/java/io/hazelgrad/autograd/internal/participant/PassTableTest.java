package io.hazelgrad.autograd.internal.participant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.Contexts;
import io.hazelgrad.autograd.internal.pass.GradientMessage;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.MessageDescriptor;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import io.hazelgrad.autograd.internal.tape.Edge;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.autograd.internal.tape.RecvNode;
import io.hazelgrad.autograd.internal.tape.TapeVariable;
import io.hazelgrad.autograd.internal.tape.TypeAndDevice;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A worker's side of passes, driven as the scheduler and the messages of contexts drive it. Worker
 * 2 is this one. Worker 1 sent it x, and got x * w back.
 */
class PassTableTest {
  private static final MessageId REQUEST = new MessageId(1, 1);
  private static final MessageId REPLY = new MessageId(2, 1);
  private static final PlanPart PART =
      new PlanPart(List.of(new PlanPart.Send(REPLY, 1, 0)), List.of(new PlanPart.Recv(REQUEST, 2)));

  private final Contexts contexts = new Contexts(2);
  private final ContextState context = contexts.find(new ContextId(1, 1));
  private final PassTable passes = new PassTable("B", contexts, Runnable::run);
  private final Variable w = Variable.parameter(Tensor.of(new double[] {3, 4}, 2));
  private final Tensor ones = Tensor.of(new double[] {1, 1}, 2);

  PassTableTest() {
    RecvNode recv =
        context.receive(1, List.of(new MessageDescriptor(REQUEST, 2, 1, List.<MessageId>of())));
    Variable x = TapeVariable.computed(Tensor.of(new double[] {5, 6}, 2), recv, 0);
    Variable y = x.mul(w);
    context.send(REPLY, 1, List.of(edge(y)), List.of(TypeAndDevice.of(y.value())));
  }

  private static Edge edge(Variable variable) {
    return Objects.requireNonNull(TapeVariable.edge(variable));
  }

  private static PassSpec spec(
      long sequence, int attempt, boolean retain, PassDecisions decisions) {
    return spec(1, sequence, attempt, retain, decisions);
  }

  private static PassSpec spec(
      long initiator, long sequence, int attempt, boolean retain, PassDecisions decisions) {
    return new PassSpec(
        new PassId(initiator, sequence, attempt),
        new ContextId(1, 1),
        retain,
        decisions,
        2,
        Map.of(2L, PART));
  }

  private static PassSpec spec(long sequence, int attempt) {
    return spec(sequence, attempt, false, PassDecisions.NONE);
  }

  private List<GradientMessage> run(PassSpec spec) {
    passes.start(spec);
    passes.deliver(spec.pass(), new GradientMessage(REPLY, List.of(ones)));
    List<GradientMessage> left = passes.advance(spec.pass(), 1);
    passes.end(spec.pass(), null);
    return left;
  }

  private double @Nullable [] gradient() {
    Tensor gradient = context.gradient(w);
    return gradient == null ? null : gradient.toDoubles();
  }

  private static void assertFails(ThrowingCallable call, Status status, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(GridException.class, e -> assertThat(e.status()).isEqualTo(status))
        .hasMessageContainingAll(parts);
  }

  @Test
  void gradientsCountFromTheDecision() {
    List<GradientMessage> left = run(spec(1, 0));
    assertThat(left).hasSize(1);
    assertThat(Objects.requireNonNull(left.get(0).gradients().get(0)).toDoubles())
        .containsExactly(3, 4);
    assertThat(gradient()).isNull();
    assertThat(passes.count()).isEqualTo(1);
    passes.learn(1, PassDecisions.NONE.commit(1));
    assertThat(gradient()).containsExactly(5, 6);
    assertThat(passes.count()).isZero();
    assertFails(() -> passes.start(spec(2, 0)), Status.GRAPH_FREED, "worker B", "mul");
  }

  @Test
  void hooksAfterAccumulationRunAtCommit() {
    List<double[]> seen = new ArrayList<>();
    w.hookAfterAccumulation(gradient -> seen.add(gradient.toDoubles()));
    run(spec(1, 0, true, PassDecisions.NONE));
    assertThat(seen).isEmpty();
    passes.learn(1, PassDecisions.NONE.commit(1));
    run(spec(2, 0, true, PassDecisions.NONE.commit(1)));
    passes.learn(1, PassDecisions.NONE.commit(1).abort(2));
    run(spec(3, 0, true, PassDecisions.NONE.commit(1).abort(2)));
    passes.learn(1, PassDecisions.NONE.commit(1).abort(2).commit(3));
    assertThat(seen).containsExactly(new double[] {5, 6}, new double[] {10, 12});
  }

  @Test
  void decisionArrivesWithNextPass() {
    run(spec(1, 0, true, PassDecisions.NONE));
    run(spec(2, 0, true, PassDecisions.NONE.commit(1)));
    assertThat(gradient()).containsExactly(5, 6);
    passes.learn(1, PassDecisions.NONE.commit(1).commit(2));
    assertThat(gradient()).containsExactly(10, 12);
  }

  @Test
  void nodesAreFreeAfterAbort() {
    run(spec(1, 0));
    passes.learn(1, PassDecisions.NONE.abort(1));
    assertThat(gradient()).isNull();
    run(spec(2, 0));
    passes.learn(1, PassDecisions.NONE.abort(1).commit(2));
    assertThat(gradient()).containsExactly(5, 6);
  }

  @Test
  void nodesAreFreeAfterFailedAttempt() {
    passes.start(spec(1, 0));
    passes.end(new PassId(1, 1, 0), new IllegalStateException("elsewhere"));
    assertThat(passes.count()).isZero();
    run(spec(2, 0));
  }

  @Test
  void overlappingPassIsRefusedUnlessBothRetain() {
    run(spec(1, 0, true, PassDecisions.NONE));
    run(spec(3, 1, 0, true, PassDecisions.NONE));
    assertFails(
        () -> passes.start(spec(3, 2, 0, false, PassDecisions.NONE)),
        Status.PASS_CONFLICT,
        "worker B");
    passes.learn(1, PassDecisions.NONE.commit(1));
    passes.learn(3, PassDecisions.NONE.abort(1).abort(2));
    run(spec(3, 3, 0, false, PassDecisions.NONE));
    assertFails(
        () -> passes.start(spec(1, 4, 0, true, PassDecisions.NONE)),
        Status.PASS_CONFLICT,
        "worker B");
  }

  /** The end of the first attempt gave back what the second one had taken. */
  @Test
  void secondAttemptKeepsNodesWhenFirstEnds() {
    passes.start(spec(1, 0));
    passes.start(spec(1, 1));
    passes.end(new PassId(1, 1, 0), new IllegalStateException("a member left"));
    assertThat(passes.count()).isEqualTo(1);
    assertFails(
        () -> passes.start(spec(3, 1, 0, false, PassDecisions.NONE)),
        Status.PASS_CONFLICT,
        "worker B");
    passes.deliver(new PassId(1, 1, 1), new GradientMessage(REPLY, List.of(ones)));
    assertThat(passes.advance(new PassId(1, 1, 1), 1)).hasSize(1);
    passes.learn(1, PassDecisions.NONE.commit(1));
    assertThat(gradient()).containsExactly(5, 6);
  }

  @Test
  void lateStartOfEarlierAttemptDoesNotReplaceLaterOne() {
    run(spec(1, 1));
    assertFails(() -> passes.start(spec(1, 0)), Status.PASS_FAILED, "1/1#0 is over", "worker B");
    passes.learn(1, PassDecisions.NONE.commit(1));
    assertThat(gradient()).containsExactly(5, 6);
  }

  /** It stayed for as long as the context did, with its nodes taken. */
  @Test
  void startIsRefusedWhenPassIsDecided() {
    passes.learn(1, PassDecisions.NONE.abort(1));
    assertFails(() -> passes.start(spec(1, 0)), Status.PASS_FAILED, "is over");
    assertThat(passes.count()).isZero();
    run(spec(2, 0));
  }

  /** The message was on its way while the pass failed, and the next pass has begun. */
  @Test
  void startReservesNoNodeWhenPassIsDecided() {
    passes.learn(1, PassDecisions.NONE.abort(1));
    LocalAttempt late = new LocalAttempt(new PassId(1, 1, 0), context, false, PART, null);
    passes.start(spec(2, 0));
    assertFails(() -> passes.stage(late), Status.PASS_FAILED, "is over");
    run(spec(3, 0, false, PassDecisions.NONE.abort(1).abort(2)));
  }

  @Test
  void messageIsRefusedWhenAttemptIsOver() {
    passes.start(spec(1, 0));
    passes.start(spec(1, 1));
    PassId first = new PassId(1, 1, 0);
    assertFails(
        () -> passes.deliver(first, new GradientMessage(REPLY, List.of(ones))),
        Status.PASS_FAILED,
        "is over");
    assertFails(() -> passes.advance(first, 1), Status.PASS_FAILED, "worker B", "is over");
  }

  @Test
  void passIsAbortedWhenInitiatorIsLost() {
    run(spec(1, 0));
    assertThat(passes.lost(1)).isEmpty();
    assertThat(passes.count()).isZero();
    assertThat(gradient()).isNull();
    run(spec(3, 1, 0, false, PassDecisions.NONE));
  }

  @Test
  void passesAreDroppedWhenContextCloses() {
    run(spec(1, 0));
    contexts.close(context.id());
    passes.dropContext(context.id());
    assertThat(passes.count()).isZero();
    assertFails(() -> passes.start(spec(2, 0)), Status.CONTEXT_CLOSED, "worker B", "context 1-1");
    passes.learn(1, PassDecisions.NONE.commit(1));
    assertThat(passes.count()).isZero();
  }

  /** Closing came between the look at the context and the staging. */
  @Test
  void attemptIsNotStagedWhenContextJustClosed() {
    LocalAttempt run = new LocalAttempt(new PassId(1, 1, 0), context, false, PART, null);
    contexts.close(context.id());
    passes.dropContext(context.id());
    assertFails(() -> passes.stage(run), Status.CONTEXT_CLOSED, "context 1-1");
    assertThat(passes.count()).isZero();
  }

  /** Closing came between the staging and the end of the run of the roots. */
  @Test
  void beginFailsWithContextClosedWhenContextClosesWhileRootsRun() {
    Variable root = w.mul(w).sum();
    root.hook(
        gradient -> {
          contexts.close(context.id());
          passes.dropContext(context.id());
          return gradient;
        });
    PlanPart none = new PlanPart(List.of(), List.of());
    assertFails(
        () -> passes.begin(new PassId(2, 1, 0), context, false, none, PassRoots.of(root)),
        Status.CONTEXT_CLOSED,
        "worker B",
        "context 1-1");
    assertThat(passes.count()).isZero();
  }

  @Test
  void gradientIsRefusedWhenShapeIsWrong() {
    passes.start(spec(1, 0));
    assertFails(
        () ->
            passes.deliver(
                new PassId(1, 1, 0), new GradientMessage(REPLY, List.of(Tensor.scalar(1)))),
        Status.PASS_FAILED,
        "worker B",
        "send 2/1",
        "FLOAT64 [2]");
    assertFails(
        () -> passes.deliver(new PassId(1, 1, 0), GradientMessage.empty(REPLY, 2)),
        Status.PASS_FAILED,
        "takes 1 gradients, got 2");
    assertFails(
        () -> passes.deliver(new PassId(1, 1, 0), GradientMessage.empty(new MessageId(7, 7), 1)),
        Status.PASS_FAILED,
        "7/7");
  }

  @Test
  void messagesWithoutGradientsCount() {
    passes.start(spec(1, 0));
    passes.deliver(new PassId(1, 1, 0), GradientMessage.empty(REPLY, 1));
    List<GradientMessage> left = passes.advance(new PassId(1, 1, 0), 1);
    assertThat(left).hasSize(1);
    assertThat(left.get(0).gradients()).containsOnlyNulls();
    passes.learn(1, PassDecisions.NONE.commit(1));
    assertThat(gradient()).isNull();
  }

  @Test
  void failureNamesOperationOfGradient() {
    Variable odd = TapeVariable.computed(Tensor.of(new double[] {1, 2, 3}, 3), edge(w).node(), 0);
    Variable y = odd.mul(odd); // takes a gradient of 3 elements
    MessageId id = new MessageId(2, 2);
    context.send(id, 1, List.of(edge(y)), List.of(TypeAndDevice.of(ones)));
    PassId pass = new PassId(1, 1, 0);
    PlanPart part = new PlanPart(List.of(new PlanPart.Send(id, 1, 0)), List.of());
    passes.start(new PassSpec(pass, context.id(), false, PassDecisions.NONE, 1, Map.of(2L, part)));
    passes.deliver(pass, new GradientMessage(id, List.of(ones)));
    assertFails(() -> passes.advance(pass, 1), Status.BAD_ARGUMENT, "worker B", "gradient of mul");
  }

  @Test
  void failureNamesNodesOfAnotherContext() {
    ContextId other = new ContextId(1, 2);
    RecvNode foreign = new RecvNode(other, new MessageId(1, 9), 1);
    Variable y = TapeVariable.computed(ones, foreign, 0).mul(w);
    MessageId id = new MessageId(2, 2);
    context.send(id, 1, List.of(edge(y)), List.of(TypeAndDevice.of(ones)));
    PlanPart part = new PlanPart(List.of(new PlanPart.Send(id, 1, 0)), List.of());
    assertFails(
        () ->
            passes.start(
                new PassSpec(
                    new PassId(1, 1, 0),
                    context.id(),
                    false,
                    PassDecisions.NONE,
                    1,
                    Map.of(2L, part))),
        Status.BAD_ARGUMENT,
        "worker B",
        "context 1-2",
        "detach()");
  }

  /** Worker 3 ran a pass in a context of worker 1 and died: worker 1 knows what became of it. */
  @Test
  void passIsSettledByOriginatorWhenInitiatorIsLost() {
    run(spec(3, 1, 0, true, PassDecisions.NONE));
    assertThat(passes.lost(3)).containsExactly(1L);
    assertThat(passes.count()).as("may be committed").isEqualTo(1);
    passes.settle(3, 1, PassDecisions.NONE.commit(1));
    assertThat(gradient()).containsExactly(5, 6);

    run(spec(3, 2, 0, true, PassDecisions.NONE));
    assertThat(passes.lost(3)).containsExactly(1L);
    passes.settle(3, 1, PassDecisions.NONE.commit(1));
    assertThat(passes.count()).isZero();
    assertThat(gradient()).containsExactly(5, 6);
    assertThat(passes.lost(3)).isEmpty();
  }

  @Test
  void passIsNotCommittedWhenInitiatorIsLost() {
    passes.commit(3, 1, PassDecisions.NONE.commit(1));
    assertThat(passes.close(3)).isEqualTo(PassDecisions.NONE.commit(1));
    assertFails(
        () -> passes.commit(3, 2, PassDecisions.NONE.commit(1).commit(2)),
        Status.PASS_FAILED,
        "worker 3",
        "lost");
    assertThat(passes.decisions(3).isDecided(2)).isFalse();
  }

  /** Passes that began before the mistake are aborted on other workers, and stay so. */
  @Test
  void laterPassesAreCommittedWhenInitiatorWasLostByMistake() {
    passes.commit(3, 1, PassDecisions.NONE.commit(1));
    passes.close(3);
    assertThat(passes.closed()).containsExactly(3L);
    passes.reopen(3, 4);
    assertThat(passes.closed()).isEmpty();
    PassDecisions later = PassDecisions.NONE.commit(1).abort(2).commit(4);
    passes.commit(3, 4, later);
    assertThat(passes.decisions(3).isCommitted(4)).isTrue();
    assertFails(() -> passes.commit(3, 3, later.commit(3)), Status.PASS_FAILED, "worker 3", "lost");
    assertThat(passes.decisions(3).isDecided(3)).isFalse();
    passes.close(3);
    assertFails(() -> passes.commit(3, 5, later.commit(5)), Status.PASS_FAILED, "worker 3", "lost");
  }

  @Test
  void initiatorStaysClosedWhenItIsLostAgainBeforeItAnswers() {
    passes.close(3);
    assertThat(passes.closed()).containsExactly(3L);
    passes.close(3);
    passes.reopen(3, 4);
    assertFails(
        () -> passes.commit(3, 4, PassDecisions.NONE.commit(4)),
        Status.PASS_FAILED,
        "worker 3",
        "lost");
  }

  @Test
  void initiatorThatWasNotLostStaysOpen() {
    passes.reopen(3, 4);
    passes.commit(3, 1, PassDecisions.NONE.commit(1));
    assertThat(passes.decisions(3).isCommitted(1)).isTrue();
  }

  @Test
  void lostInitiatorsAreForgottenInTime() {
    for (long client = 10; client < 10_010; client++) {
      passes.lost(client);
    }
    assertThat(passes.closed()).hasSizeLessThanOrEqualTo(1_000).contains(10_009L);
  }
}
