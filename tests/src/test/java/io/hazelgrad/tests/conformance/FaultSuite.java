package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.fault.FaultRule;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Tests of messages that fail, get lost or come late. Each worker or client injects faults into its
 * own messages.
 */
@RemoteFunctions
class FaultSuite extends PeerSuite {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(50);
  private static final Duration DELAY = Duration.ofMillis(600);
  private static final Tensor ONES = Tensor.of(new double[] {1, 1}, 2);
  private static final Tensor TWOS = Tensor.of(new double[] {2, 2}, 2);
  private static final Function<Tensor> BUILTIN = Function.operator("add");
  private static final Function<Tensor> UDF =
      Function.named(FaultSuite.class, "plus", Tensor.class, Tensor.class);
  private static final Function<Tensor> READ =
      Function.named(FaultSuite.class, "sumOf", RRef.class, RRef.class);
  private static final Function<Tensor> READ_AT =
      Function.named(FaultSuite.class, "sumOfAt", String.class, RRef.class, RRef.class);
  private static final String FETCH = "call.service:rref.fetch";

  /**
   * Control messages of a client. It owns no objects, and workers register the references that it
   * receives.
   */
  private static final List<String> CONTROL_OF_CLIENTS =
      List.of("rref.resolve", "rref.release", "call.service:rref.command");

  /** Control messages of references and contexts; the peer has four of these. */
  private static final List<String> CONTROL_OF_WORKERS =
      List.of(
          "rref.create",
          "rref.resolve",
          "rref.claim",
          "rref.release",
          "call.service:autograd.close");

  static Tensor plus(Tensor a, Tensor b) {
    return Variable.of(a).add(Variable.of(b)).value();
  }

  static Tensor sumOf(RRef<Tensor> a, RRef<Tensor> b) {
    return plus(a.toHere(), b.toHere());
  }

  static Tensor sumOfAt(String worker, RRef<Tensor> a, RRef<Tensor> b) {
    return rpc().sync(worker, READ, a, b);
  }

  private static Faults faults() {
    return driver().faults();
  }

  private static List<String> control() {
    return isClient() ? CONTROL_OF_CLIENTS : CONTROL_OF_WORKERS;
  }

  /** Runs something, and ends all rules of this process afterwards. */
  private static void disturbed(ThrowingCallable work) {
    try {
      work.call();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      faults().clear();
    }
  }

  /**
   * Creates on two workers, shares with a third one and with an owner, fetches, and closes all. The
   * third worker returns two references in a call, so that this worker sends claims too. This
   * worker owns one object itself, so that it sends an owner's messages as well. A client does
   * neither.
   */
  private static void useReferences() {
    try (RRef<Tensor> one = rrefs().remote(dst(1), BUILTIN, ONES, ONES);
        RRef<Tensor> other = rrefs().remote(dst(2), UDF, ONES, ONES);
        RRef<Tensor> sum = rrefs().remote(dst(3), READ, one, other);
        RRef<Tensor> atOwner = rrefs().remote(dst(1), READ, one, one);
        RRef<Tensor> own = rrefs().remote(home(), UDF, ONES, ONES)) {
      assertThat(own.toHere()).isEqualTo(TWOS);
      assertThat(one.toHere()).isEqualTo(TWOS);
      assertThat(sum.toHere()).isEqualTo(plus(TWOS, TWOS));
      assertThat(atOwner.toHere()).isEqualTo(plus(TWOS, TWOS));
      assertThat(rpc().sync(dst(3), READ_AT, caller(), one, other)).isEqualTo(plus(TWOS, TWOS));
    }
  }

  private static void useContext() {
    try (Context context = Autograd.on(access()).open()) {
      Variable x = Variable.parameter(ONES);
      Variable y = rpc().sync(dst(), Function.<Variable>operator("mul"), x, x);
      context.backward(y.sum());
      assertThat(context.gradient(x)).isEqualTo(TWOS);
    }
  }

  /** Makes a creation fail; then the creator reports its end, not the owner. */
  private static void failToCreate() {
    FaultRule failing = faults().on("remote.operator").first(1).fail();
    try (RRef<Tensor> rref = rrefs().remote(dst(), BUILTIN, ONES, ONES)) {
      fails(Status.INTENTIONAL_FAILURE, "remote.operator", rref::toHere);
    }
    assertThat(failing.count()).isEqualTo(1);
  }

  @Test
  @PeerTest("test_check_failed_messages")
  void controlMessagesAreRepeatedWhenTheyFail() {
    disturbed(
        () -> {
          List<FaultRule> rules = new ArrayList<>();
          for (String kind : control()) {
            rules.add(
                kind.startsWith("call.")
                    ? faults().on(kind).first(3).fail()
                    : faults().on(kind).firstAttempts(3).fail());
          }
          useReferences();
          if (isClient()) {
            failToCreate();
          } else {
            useContext();
          }
          Await.until(
              DEADLINE,
              () -> {
                for (FaultRule rule : rules) {
                  if (rule.count() < 3) {
                    return rule + " met only " + rule.count();
                  }
                }
                return "";
              });
        });
  }

  /**
   * The peer runs this test again with its faulty agent. The check after the test finds whatever is
   * left.
   */
  @Test
  @PeerTest("FaultyAgent.test_context_cleanup_tensor_with_grad")
  void contextsAreReleasedWhenCleanupFailsThreeTimes() {
    disturbed(
        () -> {
          FaultRule rule = faults().on("call.service:autograd.close").first(3).fail();
          useContext();
          Await.until(DEADLINE, () -> rule.count() < 3 ? rule + " met only " + rule.count() : "");
        });
  }

  /** The peer's tests have default faults. Here no fault is injected unless a test has a rule. */
  @Test
  @PeerTest({"test_verify_backend_options", "FaultyAgent.test_verify_backend_options"})
  void faultsAreOffByDefault() {
    assertThat(faults().rules()).isEmpty();
    assertThat(faults().injected()).isEmpty();
    assertThat(faults().kinds())
        .containsAll(control())
        .contains(FETCH, "call.function", "call.operator", "remote.function", "remote.operator");
  }

  @Test
  @PeerTest("test_custom_faulty_messages")
  void faultRulesAreListedAndCheckKinds() {
    disturbed(
        () -> {
          faults().on("rref.claim").first(3).fail();
          faults().on(FETCH).to(dst()).fail();
          assertThat(faults().rules())
              .extracting(FaultRule::toString)
              .containsExactly("rref.claim, the first 3: FAIL", FETCH + " to " + dst() + ": FAIL");
        });
    assertThatThrownBy(() -> faults().on("RREF_FETCH_CALL")).hasMessageContaining(FETCH);
  }

  @Test
  @PeerTest("test_no_faulty_messages")
  void nothingIsInjectedWithoutRules() {
    assertThat(faults().rules()).isEmpty();
    useReferences();
    assertThat(faults().injected()).isEmpty();
  }

  @Test
  @PeerTest("test_custom_messages_to_delay")
  void delayIsInjectedByRule() {
    disturbed(
        () -> {
          FaultRule rule = faults().on("call.operator").delay(Duration.ofMillis(20));
          assertThat(rule).hasToString("call.operator: DELAY of 20 ms");
          assertThat(rpc().sync(dst(), BUILTIN, ONES, ONES)).isEqualTo(TWOS);
          assertThat(rule.count()).isEqualTo(1);
        });
  }

  /** Makes creations fail or get lost. Every use of their references must fail with that reason. */
  private static void droppedRemote(String to, String kind, Function<Tensor> function) {
    disturbed(
        () -> {
          FaultRule failing = faults().on(kind).to(to).first(1).fail();
          try (RRef<Tensor> rref = rrefs().remote(to, function, ONES, ONES)) {
            fails(Status.INTENTIONAL_FAILURE, kind, () -> Rpc.await(rref.creation()));
            fails(Status.INTENTIONAL_FAILURE, kind, rref::toHere);
          }
          assertThat(failing.count()).isEqualTo(1);
          FaultRule losing = faults().on(kind).to(to).first(1).dropRequest();
          try (RRef<Tensor> rref = rrefs().remote(SHORT, to, function, ONES, ONES)) {
            fails(Status.RREF_TIMED_OUT, "the creation of", () -> Rpc.await(rref.creation()));
            fails(Status.RREF_TIMED_OUT, "the creation of", rref::toHere);
          }
          assertThat(losing.count()).isEqualTo(1);
        });
  }

  @Test
  @PeerTest("test_builtin_remote_message_dropped_timeout")
  void operatorCreationFailsWhenMessageIsDropped() {
    droppedRemote(dst(), "remote.operator", BUILTIN);
  }

  @Test
  @PeerTest("test_builtin_remote_message_dropped_timeout_to_self")
  @WorkersOnly
  void operatorCreationOnSelfFailsWhenMessageIsDropped() {
    droppedRemote(self(), "remote.operator", BUILTIN);
  }

  @Test
  @PeerTest("test_udf_remote_message_dropped_timeout")
  void functionCreationFailsWhenMessageIsDropped() {
    droppedRemote(dst(), "remote.function", UDF);
  }

  @Test
  @PeerTest("test_udf_remote_message_dropped_timeout_to_self")
  @WorkersOnly
  void functionCreationOnSelfFailsWhenMessageIsDropped() {
    droppedRemote(self(), "remote.function", UDF);
  }

  private static void droppedThenPassedOn(String to) {
    disturbed(
        () -> {
          faults().on("remote.function").to(to).first(1).dropRequest();
          try (RRef<Tensor> rref = rrefs().remote(SHORT, to, UDF, ONES, ONES)) {
            fails(Status.RREF_TIMED_OUT, "the creation of", () -> Rpc.await(rref.creation()));
            assertThatThrownBy(() -> rpc().sync(dst(2), READ, rref, rref))
                .hasMessageContaining("the creation of " + rref.id());
          }
        });
  }

  @Test
  @PeerTest({
    "test_remote_message_dropped_pickle",
    "test_rref_timeout_pickle_in_jit",
    "test_rref_timeout_pickle_script_func"
  })
  void failedReferenceIsRefusedAsArgument() {
    droppedThenPassedOn(dst());
  }

  @Test
  @PeerTest("test_remote_message_dropped_pickle_to_self")
  @WorkersOnly
  void failedReferenceToSelfIsRefusedAsArgument() {
    droppedThenPassedOn(self());
  }

  /**
   * Delays a creation beyond the deadline of one creator, and not beyond that of another one, whose
   * reads have a short deadline.
   */
  private static void delayedRemote(String to, String kind, Function<Tensor> function) {
    disturbed(
        () -> {
          faults().on(kind).to(to).delay(DELAY);
          faults().on(FETCH).to(to).delay(Duration.ofMillis(20));
          try (RRef<Tensor> hasty = rrefs().remote(Duration.ofMillis(1), to, function, ONES, ONES);
              RRef<Tensor> patient = rrefs().remote(to, function, ONES, ONES)) {
            fails(Status.RREF_TIMED_OUT, "the creation of", () -> Rpc.await(hasty.creation()));
            fails(Status.RREF_TIMED_OUT, "the creation of", hasty::toHere);
            fails(Status.TIMEOUT, "", () -> patient.within(Duration.ofMillis(1)).toHere());
            assertThat(patient.toHere()).isEqualTo(TWOS);
            fails(Status.RREF_TIMED_OUT, "the creation of", hasty::toHere);
          }
        });
  }

  @Test
  @PeerTest({"test_udf_remote_message_delay_timeout", "test_remote_message_script_delay_timeout"})
  void functionCreationTimesOutWhenMessageIsLate() {
    delayedRemote(dst(), "remote.function", UDF);
  }

  @Test
  @PeerTest({
    "test_udf_remote_message_delay_timeout_to_self",
    "test_remote_message_script_delay_timeout_to_self"
  })
  @WorkersOnly
  void functionCreationOnSelfTimesOutWhenMessageIsLate() {
    delayedRemote(self(), "remote.function", UDF);
  }

  @Test
  @PeerTest("test_remote_message_builtin_delay_timeout")
  void operatorCreationTimesOutWhenMessageIsLate() {
    delayedRemote(dst(), "remote.operator", BUILTIN);
  }

  @Test
  @PeerTest("test_remote_message_builtin_delay_timeout_to_self")
  @WorkersOnly
  void operatorCreationOnSelfTimesOutWhenMessageIsLate() {
    delayedRemote(self(), "remote.operator", BUILTIN);
  }

  @Test
  @PeerTest({"test_rref_to_here_timeout", "test_rref_to_here_timeout_in_jit"})
  void fetchTimesOutWhenMessageIsLate() {
    disturbed(
        () -> {
          faults().on(FETCH).to(dst()).delay(DELAY);
          try (RRef<Tensor> rref = rrefs().remote(dst(), BUILTIN, ONES, ONES)) {
            fails(Status.TIMEOUT, dst(), () -> rref.within(Duration.ofMillis(10)).toHere());
            assertThat(rref.toHere()).isEqualTo(TWOS);
          }
        });
  }

  private static void delayedCall(String kind, Function<Tensor> function) {
    disturbed(
        () -> {
          faults().on(kind).to(dst()).delay(DELAY);
          Rpc hasty = rpc().within(SHORT);
          fails(Status.TIMEOUT, dst(), () -> hasty.sync(dst(), function, ONES, ONES));
          fails(Status.TIMEOUT, dst(), () -> Rpc.await(hasty.async(dst(), function, ONES, ONES)));
          assertThat(rpc().sync(dst(), function, ONES, ONES)).isEqualTo(TWOS);
          Rpc hastier = rpc().within(Duration.ofMillis(1));
          fails(Status.TIMEOUT, dst(), () -> hastier.sync(dst(), function, ONES, ONES));
          assertThat(rpc().within(Duration.ZERO).sync(dst(), function, ONES, ONES)).isEqualTo(TWOS);
        });
  }

  @Test
  @PeerTest("test_rpc_builtin_timeout")
  void operatorCallTimesOutWhenMessageIsLate() {
    delayedCall("call.operator", BUILTIN);
  }

  @Test
  @PeerTest("test_rpc_script_timeout")
  void functionCallTimesOutWhenMessageIsLate() {
    delayedCall("call.function", UDF);
  }

  /** Not a test of the peer: every command to the registry of references is sent twice. */
  @Test
  @PeerTest("duplicate_of_every_message_type")
  void registryCommandsApplyOnceWhenDuplicated() {
    disturbed(
        () -> {
          for (String kind : faults().kinds()) {
            if (kind.startsWith("rref.")) {
              faults().on(kind).duplicate();
            }
          }
          useReferences();
          if (!isClient()) {
            assertThat(faults().injected()).containsKeys("rref.create", "rref.claim");
          }
          Await.until(
              "the release was sent twice",
              DEADLINE,
              () -> faults().injected().containsKey("rref.release"));
        });
  }

  /** Not a test of the peer: the first reply to every message of the protocol gets lost. */
  @Test
  @PeerTest("loss_of_every_response")
  void registryCommandsAreRepeatedWhenReplyIsLost() {
    disturbed(
        () -> {
          faults().kinds().stream()
              .filter(kind -> kind.startsWith("rref."))
              .forEach(kind -> faults().on(kind).firstAttempts(1).dropReply());
          useReferences();
          // This worker may still call functions for other workers, but no operators.
          FaultRule calls = faults().on("call.operator").to(dst()).first(1).dropReply();
          fails(Status.TIMEOUT, dst(), () -> rpc().within(SHORT).sync(dst(), BUILTIN, ONES, ONES));
          assertThat(calls.count()).isEqualTo(1);
          Await.until(
              "the release was answered twice",
              DEADLINE,
              () -> faults().injected().containsKey("rref.release"));
        });
  }
}
