package io.hazelgrad.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassPlan;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.WorkersOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tests of contexts and of their graphs. The plan of a pass shows the graph: it has a line for each
 * pair of a send and a recv node, and below it the pairs that the sender's local graph leads to.
 */
@RemoteFunctions
class ContextSuite extends DifferentiationSuite {
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Function<Variable> SLOW_ADD =
      Function.named(ContextSuite.class, "slowAdd", Tensor.class, Tensor.class);
  private static final Function<Variable> SUM_OF =
      Function.named(ContextSuite.class, "sumOf", List.class);
  private static final Function<Variable> FAILING =
      Function.named(ContextSuite.class, "failing", Variable.class);

  /** Completes after a delay, on another thread. */
  static CompletableFuture<Variable> slowAdd(Tensor x, Tensor y) {
    return CompletableFuture.supplyAsync(
        () -> Variable.parameter(Variable.of(x).add(Variable.of(y)).value()),
        CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
  }

  static Variable sumOf(List<Variable> all) {
    Variable sum = all.get(0);
    for (Variable each : all.subList(1, all.size())) {
      sum = sum.add(each);
    }
    return sum;
  }

  static Variable failing(Variable x) {
    throw new IllegalStateException("no " + x.value().size() + " today");
  }

  static long figure(String name) {
    return Metrics.of(grid()).figures().getOrDefault(name, -1L);
  }

  // ---- Contexts ----

  @Test
  @PeerTest("test_autograd_context")
  void contextHasIncreasingIdAndFailsAfterClose() {
    long self = driver().self().id();
    long last = 0;
    for (int i = 0; i < 200; i++) {
      Context context;
      try (Context open = open()) {
        context = open;
        assertThat(open.id().originator()).isEqualTo(self);
        assertThat(open.id().sequence()).isGreaterThan(last);
        assertThat(context()).isEqualTo(open.toString());
        last = open.id().sequence();
      }
      fails(Status.CONTEXT_CLOSED, context.toString(), context::gradients);
    }
  }

  @Test
  @PeerTest("test_nested_context")
  void contextIsRefusedWithinContext() {
    try (Context context = open()) {
      fails(Status.BAD_ARGUMENT, context.toString(), DifferentiationSuite::open);
    }
  }

  // ---- Graphs of calls ----

  private void graphOfACall(Way way, Function<Variable> function) {
    try (Context context = open()) {
      Plan plan = (Plan) context.plan(way.call(dst(), function, t1, t2).sum());
      assertThat(messages(plan)).containsExactly(dst() + ">" + self(), self() + ">" + dst());
      Plan.Entry reply = plan.messages().get(0);
      Plan.Entry request = plan.messages().get(1);
      assertThat(request.message().tensors()).isEqualTo(2);
      assertThat(request.message().below()).as("only leaves").isEmpty();
      assertThat(reply.message().tensors()).isEqualTo(1);
      assertThat(reply.message().below()).as("one recv node").containsExactly(request.id());
    }
    assertThat(context()).isEmpty();
  }

  @Test
  @PeerTest("test_graph_for_builtin_call")
  void graphHasTwoMessagesAfterCallOfOperator() {
    graphOfACall(WAYS.get(0), ADD);
  }

  @Test
  @PeerTest("test_graph_for_python_call")
  void graphHasTwoMessagesAfterCallOfFunction() {
    graphOfACall(WAYS.get(0), MY_ADD);
  }

  @Test
  @PeerTest("test_graph_for_builtin_remote_call")
  void graphHasTwoMessagesAfterCreationByOperator() {
    graphOfACall(WAYS.get(2), ADD);
  }

  @Test
  @PeerTest("test_graph_for_python_remote_call")
  void graphHasTwoMessagesAfterCreationByFunction() {
    graphOfACall(WAYS.get(2), MY_ADD);
  }

  private void graphOfANestedCall(Way way, Function<Variable> function, String last) {
    try (Context context = open()) {
      Plan plan = (Plan) context.plan(way.call(dst(), function, t1, t2, last).sum());
      assertThat(messages(plan))
          .containsExactly(
              dst() + ">" + self(), last + ">" + dst(), dst() + ">" + last, self() + ">" + dst());
      for (int i = 0; i < 3; i++) {
        assertThat(plan.messages().get(i).message().below())
            .containsExactly(plan.messages().get(i + 1).id());
      }
      assertThat(plan.messages().get(2).message().tensors()).isEqualTo(2);
    }
  }

  @Test
  @PeerTest("test_graph_for_py_nested_call")
  void graphHasFourMessagesAfterNestedCall() {
    graphOfANestedCall(WAYS.get(0), NESTED_ADD, dst(2));
  }

  @Test
  @PeerTest("test_graph_for_py_nested_remote_call")
  void graphHasFourMessagesAfterNestedCreation() {
    graphOfANestedCall(WAYS.get(2), NESTED_REMOTE_ADD, dst(2));
  }

  @Test
  @PeerTest("test_graph_for_py_nested_call_itself")
  @WorkersOnly
  void graphHasFourMessagesAfterNestedCallToSelf() {
    graphOfANestedCall(WAYS.get(0), NESTED_ADD, self());
  }

  @Test
  @PeerTest("test_graph_for_py_nested_remote_call_itself")
  @WorkersOnly
  void graphHasFourMessagesAfterNestedCreationOnSelf() {
    graphOfANestedCall(WAYS.get(2), NESTED_REMOTE_ADD, self());
  }

  private void noGraph(Way way) {
    try (Context context = open()) {
      Variable sum = way.call(dst(), MY_ADD, t1.detach(), t2.detach());
      assertThat(sum.requiresGrad()).isFalse();
      // The callee is in the context nevertheless.
      assertThat(rpc().sync(dst(), DifferentiationSuite::context)).isEqualTo(context.toString());
      assertThat(messages(context.plan(t1.add(sum).sum()))).isEmpty();
    }
  }

  @Test
  @PeerTest("test_no_graph_with_tensors_not_require_grad")
  void graphIsEmptyAfterCallWithoutGradients() {
    noGraph(WAYS.get(0));
  }

  @Test
  @PeerTest("test_no_graph_with_tensors_not_require_grad_remote")
  void graphIsEmptyAfterCreationWithoutGradients() {
    noGraph(WAYS.get(2));
  }

  private static void complexArguments(Way way) {
    List<Variable> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(i % 2 == 0 ? leaf(i, 3, 3) : Variable.of(tensor(i, 3, 3)));
    }
    try (Context context = open()) {
      Variable loss = way.call(dst(), SUM_OF, all).sum();
      PassPlan plan = context.plan(loss);
      assertThat(plan.messages().get(1).tensors()).as("every other").isEqualTo(5);
      assertThat(plan.participants()).hasSize(2);
      context.backward(loss);
      assertThat(context.gradients()).hasSize(5);
      assertThat(context.gradient(all.get(1))).isNull();
    }
  }

  @Test
  @PeerTest("test_rpc_complex_args")
  void graphHasTensorsOfListAfterCall() {
    complexArguments(WAYS.get(0));
  }

  @Test
  @PeerTest("test_remote_complex_args")
  void graphHasTensorsOfListAfterCreation() {
    complexArguments(WAYS.get(2));
  }

  /** A context knows the workers that it has reached, whether or not a tensor needs a gradient. */
  @Test
  @PeerTest("test_worker_ids_recorded")
  void contextKnowsWorkersItReached() {
    try (Context context = open()) {
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        rpc().sync(dst(i), ADD, t1.detach(), t2.detach());
        assertThat(rpc().sync(dst(i), DifferentiationSuite::context)).isEqualTo(context.toString());
      }
      Variable sum = t1;
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        sum = sum.add(rpc().sync(dst(i), ADD, t1, t2));
      }
      assertThat(context.plan(sum.sum()).participants()).hasSize(FourWorkers.COUNT);
    }
    awaitNoContexts();
  }

  // ---- The end of contexts ----

  /**
   * Waits until no worker has contexts. The tests of all four workers run at once, so this waits
   * for their contexts too.
   */
  private static void awaitNoContexts() {
    for (int i = 0; i < FourWorkers.COUNT; i++) {
      String worker = dst(i);
      Await.until(
          "there are no contexts on " + worker,
          DEADLINE,
          () -> rpc().sync(worker, DifferentiationSuite::contexts) == 0);
    }
  }

  @Test
  @PeerTest("test_context_cleanup_tensor_with_grad")
  void contextIsReleasedAfterCallsWithGradients() {
    try (Context context = open()) {
      assertThat(context).isNotNull();
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        assertThat(rpc().sync(dst(i), ADD, t1, t2).requiresGrad()).isTrue();
      }
    }
    awaitNoContexts();
  }

  @Test
  @PeerTest("test_context_cleanup_tensor_no_grad")
  void contextIsReleasedAfterCallsWithoutGradients() {
    try (Context context = open()) {
      assertThat(context).isNotNull();
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        rpc().sync(dst(i), ADD, t1.detach(), t1.detach());
      }
    }
    awaitNoContexts();
  }

  @Test
  @PeerTest("test_context_cleanup_no_tensors")
  void contextIsReleasedAfterCallsWithoutTensors() {
    try (Context context = open()) {
      for (int i = 1; i < FourWorkers.COUNT; i++) {
        assertThat(rpc().sync(dst(i), DifferentiationSuite::context)).isEqualTo(context.toString());
      }
    }
    awaitNoContexts();
  }

  @Test
  @PeerTest("test_context_cleanup_nested_rpc")
  void contextIsReleasedAfterNestedCall() {
    try (Context context = open()) {
      assertThat(context).isNotNull();
      assertThat(rpc().sync(dst(), NESTED_ADD, t1, t2, dst(2)).requiresGrad()).isTrue();
    }
    awaitNoContexts();
  }

  /** The fetch waits, and continues on another thread of the owner. */
  @Test
  @PeerTest("test_thread_local_context_id")
  void contextFollowsFetchToAnotherThread() {
    try (RRef<Variable> slow = rrefs().remote(dst(), SLOW_ADD, t1.value(), t2.value());
        Context context = open()) {
      context.backward(slow.toHere().sum());
      Tensor gradient = rpc().sync(dst(), DifferentiationSuite::gradientOf, slow);
      isClose(gradient, Tensor.full(t1.value().dtype(), 1, 3, 3));
    }
  }

  @Test
  @PeerTest("test_error_in_context")
  void contextWorksAfterFailedCall() {
    try (Context context = open()) {
      GridException failure =
          fails(Status.USER_ERROR, "no 9 today", () -> rpc().sync(dst(), FAILING, t1));
      assertThat(failure).hasMessageContaining(dst());
      try (RRef<Variable> bad = rrefs().remote(dst(), FAILING, t1)) {
        fails(Status.USER_ERROR, "no 9 today", bad::toHere);
      }
      context.backward(rpc().sync(dst(), ADD, t1, t2).sum());
      assertThat(context.gradients()).hasSize(2);
    }
  }

  /** A pass counts at its participants until they have heard its decision. */
  @Test
  @PeerTest("DistAutogradTest.test_debug_info")
  void figuresCountContextsAndPasses() {
    Rpc rpc = rpc(); // For a thread outside of the context: its calls carry no news of it.
    String dst = dst();
    try (Context context = open()) {
      context.backward(rpc.sync(dst, ADD, t1, t2).sum());
      CompletableFuture<List<Long>> figures =
          CompletableFuture.supplyAsync(
              () ->
                  List.of(
                      rpc.sync(dst, ContextSuite::figure, "autograd.num_current_backward_passes"),
                      rpc.sync(dst, ContextSuite::figure, "autograd.num_autograd_contexts")));
      assertThat(figures.join()).allSatisfy(figure -> assertThat(figure).isBetween(1L, 4L));
    }
    List<String> names =
        List.of(
            "autograd.num_current_backward_passes",
            "autograd.num_autograd_contexts",
            "autograd.num_pass_parts");
    for (String name : names) {
      Await.until(
          name + " is 0 on " + dst, DEADLINE, () -> rpc.sync(dst, ContextSuite::figure, name) == 0);
    }
    assertThat(driver().service(Metrics.class).figures().keySet())
        .filteredOn(name -> name.startsWith("autograd."))
        .contains("autograd.num_passes_by_calls", "autograd.num_passes_by_jobs")
        .filteredOn(name -> !name.startsWith("autograd.num_passes_by_"))
        .containsExactlyInAnyOrderElementsOf(names);
    assertThat(Autograd.on(access()).current()).isNull();
  }
}
