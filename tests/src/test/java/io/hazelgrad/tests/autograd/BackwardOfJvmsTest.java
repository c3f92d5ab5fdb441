package io.hazelgrad.tests.autograd;

import static io.hazelgrad.tests.autograd.Fixture.assertFails;
import static io.hazelgrad.tests.autograd.Fixture.doubles;
import static io.hazelgrad.tests.autograd.Fixture.input;
import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.core.metrics.JobMetrics;
import com.hazelcast.jet.core.metrics.MeasurementPredicates;
import com.hazelcast.jet.core.metrics.MetricTags;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.PassPlan;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Backward passes while processes die and freeze, and as named jobs. The grid has three workers and
 * this JVM. After each test all workers are back and nothing is left.
 */
@ExtendWith(Leftovers.class)
class BackwardOfJvmsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static JvmCluster cluster;

  @BeforeAll
  static void start() {
    cluster = JvmCluster.workers("A", "B", "C").start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void restore() {
    for (String worker : cluster.processes().workers()) {
      if (cluster.processes().worker(worker).isAlive()) {
        cluster.thaw(worker);
      }
    }
    cluster.startMissing();
    cluster.awaitAgreement("A", "B", "C");
    awaitNothingLeftOn("A", "B", "C");
  }

  private static Grid grid() {
    return cluster.grid();
  }

  private static <A> Variable call(String to, Function.F1<A, Variable> function, A argument) {
    return grid().rpc().sync(to, function, argument);
  }

  private static void awaitNothingLeftOn(String... workers) {
    for (String worker : workers) {
      Await.until(
          "no context and no pass is left on " + worker,
          PATIENCE,
          () -> grid().rpc().sync(worker, PassGate::left, 0) == 0);
    }
  }

  private static void awaitPassAtTheGateOf(String worker) {
    Await.until(
        "a pass has come to " + worker,
        PATIENCE,
        () -> grid().rpc().sync(worker, PassGate::isReached));
  }

  @Test
  @PeerTest("test_dist_autograd_profiling")
  void namedPassIsVisibleInJetWithMetrics() {
    Variable x = input(1);
    try (Context context = Autograd.on(grid()).open()) {
      Variable loss = grid().rpc().sync("B", GradientFunctions::hop, List.of("C"), x).sum();
      PassPlan plan = context.plan(loss);
      assertThat(plan.waves()).isEqualTo(4);
      assertThat(plan.toString())
          .startsWith("backward from worker driver: 4 messages in 4 waves, workers driver, B, C")
          .contains("wave 1   driver -> B, message ", "wave 2   B -> C", "wave 4   B -> driver");
      assertThat(plan.toDot()).startsWith("digraph").contains("[label=\"driver\"]", "wave 4");

      context.backward(PassOptions.defaults().withName("seen").withRetainGraph(true), loss);

      double[] once = doubles(context.gradient(x));
      Job job = Objects.requireNonNull(grid().hazelcast().getJet().getJob("hazelgrad.seen"));
      assertThat(job.getStatus()).isEqualTo(JobStatus.COMPLETED);
      JobMetrics metrics = job.getMetrics();
      for (String vertex : List.of("wave-1@B", "wave-2@C", "wave-3@B", "wave-4@driver")) {
        assertThat(metric(metrics, vertex, "gradients")).as(vertex).isEqualTo(1);
        assertThat(metric(metrics, vertex, "bytes")).as(vertex).isEqualTo(6 * Double.BYTES);
        assertThat(metric(metrics, vertex, "milliseconds")).as(vertex).isBetween(0L, 60_000L);
      }

      context.backward(PassOptions.defaults().withName("seen"), loss);
      for (int i = 0; i < once.length; i++) {
        assertThat(doubles(context.gradient(x))[i]).isEqualTo(2 * once[i]);
      }
      assertFails(
          () -> context.backward(PassOptions.defaults().withName("seen"), loss),
          Status.GRAPH_FREED,
          "worker");
    }
  }

  private static long metric(JobMetrics metrics, String vertex, String name) {
    var found =
        metrics.filter(MeasurementPredicates.tagValueEquals(MetricTags.VERTEX, vertex)).get(name);
    assertThat(found).as("%s of %s", name, vertex).hasSize(1);
    return found.get(0).value();
  }

  @Test
  @PeerTest("test_backward_node_failure_python_udf")
  void passFailsWhenWorkerFreezesDuringIt() {
    grid().rpc().sync("C", Function.action(PassGate::reset));
    Variable x = input(1);
    try (Context context = Autograd.on(grid()).open()) {
      Variable y = call("B", GradientFunctions::times, x);
      Variable loss = call("C", PassGate::times, y).sum();
      CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
      awaitPassAtTheGateOf("C");

      cluster.freeze("C");

      assertFails(() -> Rpc.await(pass), Status.WORKER_LOST, "worker C");
      assertThat(context.gradients()).isEmpty();
      assertThat(grid().rpc().sync("B", GradientFunctions::gradients)).isZero();
      assertThat(grid().rpc().sync("B", PassGate::left, 1)).as("passes on B").isZero();
      // A graph without the lost worker can still be differentiated in the same context.
      context.backward(y.sum());
      assertThat(context.gradients()).hasSize(1);
      assertThat(grid().rpc().sync("B", GradientFunctions::gradients)).isEqualTo(1);

      cluster.thaw("C");
      cluster.awaitAgreement("A", "B", "C");
      // It is another worker now, which knows nothing of the pass.
      assertThat(grid().rpc().sync("C", GradientFunctions::gradients)).isZero();
    }
  }

  @Test
  void otherWorkersKeepGradientsWhenWorkerFreezesBeforeCommit() {
    Variable x = input(1);
    try (Context context = Autograd.on(grid()).open()) {
      Variable y = call("B", GradientFunctions::times, x);
      context.backward(true, call("C", GradientFunctions::times, y).sum());

      cluster.freeze("C"); // It has not heard of the decision.

      double[] once = doubles(context.gradient(x));
      assertThat(grid().rpc().sync("B", GradientFunctions::gradients)).isEqualTo(1);
      cluster.awaitWorkers("A", "B");
      context.backward(y.sum());
      assertThat(doubles(context.gradient(x))).isNotEqualTo(once);
      cluster.thaw("C");
      // On another thread, so that the probing calls do not belong to the context.
      CompletableFuture.runAsync(() -> cluster.awaitAgreement("A", "B", "C")).join();
      assertThat(grid().rpc().sync("C", GradientFunctions::gradients)).isZero();
      assertThat(grid().rpc().sync("C", PassGate::left, 1)).isZero();
    }
  }

  @Test
  @PeerTest("release_of_a_context_whose_originator_died")
  void contextsAreReleasedEverywhereWhenOriginatorIsKilled() {
    grid().rpc().sync("A", Function.action(PassGate::originate), "B", "C");
    assertThat(grid().rpc().sync("B", PassGate::left, 0)).isPositive();
    assertThat(grid().rpc().sync("C", PassGate::left, 0)).isPositive();

    cluster.kill("A");

    awaitNothingLeftOn("B", "C");
  }
}
