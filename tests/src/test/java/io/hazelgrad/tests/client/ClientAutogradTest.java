package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.core.metrics.JobMetrics;
import com.hazelcast.jet.core.metrics.Measurement;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.autograd.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Differentiation driven by thin clients, which stand anywhere in the graph. What comes out is what
 * a worker that does the same gets, bit for bit.
 */
@ExtendWith(Leftovers.class)
class ClientAutogradTest extends ClientStories {
  private static final Tensor INPUT = Tensor.of(new double[] {0.5, -1, 2, 0.25}, 4);

  /** Those of {@link Tape} on each worker. */
  private static final Tensor WEIGHTS = Tensor.of(new double[] {1, -2, 3, 0.125}, 4);

  private static GridClient connect() {
    ClientConfig config = new ClientConfig();
    config.setClusterName(clusterName());
    for (String worker : List.of("A", "B")) {
      config.getNetworkConfig().addAddress(cluster.processes().clientEndpoint(worker));
    }
    config.setProperty("hazelcast.logging.type", "slf4j");
    return GridClient.connect(config, HazelgradConfig.named("trainer").build());
  }

  private static Autograd autograd(GridAccess grid) {
    return Autograd.on(grid);
  }

  @AfterEach
  void nothingIsLeft() {
    cluster.startMissing();
    cluster.awaitAgreement("A", "B");
    for (String worker : ALL) {
      Await.until(
          SOON,
          () -> {
            int left = cluster.grid().rpc().sync(worker, Tape::left);
            return left == 0 ? "" : worker + " has contexts or passes: " + left;
          });
    }
  }

  /** What one program gave: the gradients here, then those of the workers' weights. */
  private static List<Tensor> outcome(GridAccess grid, Context context, Variable... leaves) {
    List<Tensor> all = new ArrayList<>();
    for (Variable leaf : leaves) {
      all.add(Objects.requireNonNull(context.gradient(leaf)));
    }
    for (String worker : List.of("A", "B")) {
      all.add(context.within(() -> grid.rpc().sync(worker, Tape::gradient)));
    }
    return all;
  }

  private static List<Tensor> chain(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    try (Context context = autograd(grid).open()) {
      Variable loss = grid.rpc().sync("B", Tape::times, grid.rpc().sync("A", Tape::times, x)).sum();
      context.backward(loss);
      return outcome(grid, context, x);
    }
  }

  @Test
  void aClientAtTheEndsOfTheGraph() {
    try (GridClient client = connect()) {
      assertThat(chain(client)).isEqualTo(chain(cluster.grid()));
    }
  }

  private static List<Tensor> middle(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    Variable w = Variable.parameter(Tensor.of(new double[] {3, 1, -2, 0.5}, 4));
    try (Context context = autograd(grid).open()) {
      Variable y = grid.rpc().sync("A", Tape::times, x);
      for (int i = 0; i < 3; i++) {
        y = grid.rpc().sync(i % 2 == 0 ? "B" : "A", Tape::times, y.mul(w).tanh()).add(x);
      }
      context.backward(y.sum());
      return outcome(grid, context, x, w);
    }
  }

  @Test
  void aClientInTheMiddleOfTheGraph() {
    try (GridClient client = connect()) {
      assertThat(middle(client)).isEqualTo(middle(cluster.grid()));
    }
  }

  private static List<Tensor> rootElsewhere(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    try (Context context = autograd(grid).open()) {
      Variable y = grid.rpc().sync("A", Tape::times, x).mul(x);
      try (RRef<Variable> loss = RRefs.on(grid).remote("B", Tape::sumOfTimes, y)) {
        context.backward(loss);
      }
      return outcome(grid, context, x);
    }
  }

  @Test
  void aWorkerBeginsAPassInWhichTheClientHasPart() {
    try (GridClient client = connect()) {
      assertThat(rootElsewhere(client)).isEqualTo(rootElsewhere(cluster.grid()));
    }
  }

  private static List<Tensor> trained(GridAccess grid) {
    RRefs rrefs = RRefs.on(grid);
    try (RRef<Variable> a = rrefs.remote("A", Tape::parameter, 1.5);
        RRef<Variable> b = rrefs.remote("B", Tape::parameter, -0.5);
        DistributedOptimizer optimizer =
            DistributedOptimizer.over(grid).parameters(Sgd.of(0.05), List.of(a, b)).create()) {
      for (int step = 0; step < 5; step++) {
        try (Context context = autograd(grid).open()) {
          Variable y = a.sync(Tape::scale, Variable.of(INPUT)).tanh();
          Variable loss = b.sync(Tape::scale, y).sum();
          context.backward(loss);
          assertThat(optimizer.step(context).changed()).isEqualTo(2);
        }
      }
      return List.of(a.toHere().value(), b.toHere().value());
    }
  }

  @Test
  void anOptimizerOfAClient() {
    List<Tensor> expected = trained(cluster.grid());
    try (GridClient client = connect()) {
      assertThat(trained(client)).isEqualTo(expected).isNotEqualTo(List.of(1.5, -0.5));
    }
  }

  @Test
  void fiveClientsAtOnce() throws Exception {
    List<Tensor> expected = middle(cluster.grid());
    List<GridClient> clients = new ArrayList<>();
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        GridClient client = connect();
        clients.add(client);
        all.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int round = 0; round < 10; round++) {
                    assertThat(middle(client)).isEqualTo(expected);
                  }
                }));
      }
      for (CompletableFuture<Void> each : all) {
        each.get(SOON.toSeconds(), TimeUnit.SECONDS);
      }
    } finally {
      clients.forEach(GridClient::close);
    }
  }

  @Test
  void whatFailsOnAWorkerIsNamedAndChangesNothing() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("A", Tape::breaking, x).sum();
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("worker A")
          .hasMessageContaining("broken on purpose");
      assertThat(context.gradient(x)).isNull();
      assertThat(client.autograd().passCount()).isZero();
      Variable again = client.rpc().sync("A", Tape::times, x).sum();
      context.backward(again);
      assertThat(context.gradient(x)).isNotNull();
    }
  }

  @Test
  void whatFailsOnTheClientIsNamed() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable y = Tape.breaking(client.rpc().sync("A", Tape::times, x));
      Variable loss = client.rpc().sync("B", Tape::times, y).sum();
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("trainer")
          .hasMessageContaining("broken on purpose");
      assertThat(context.gradient(x)).isNull();
    }
  }

  @Test
  void aWorkerThatDiedBeforeThePassIsNamed() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("B", Tape::times, x).sum();
      cluster.kill("B");
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.WORKER_LOST))
          .hasMessageContaining("worker B");
      assertThat(context.gradient(x)).isNull();
      Variable other = client.rpc().sync("A", Tape::times, x).sum();
      context.backward(other);
      assertThat(context.gradient(x)).isNotNull();
    }
  }

  /** A pass waits at B. */
  private static CompletableFuture<Void> atTheGate(GridClient client, Context context, Variable x) {
    Variable loss = client.rpc().sync("B", Gate::times, x).sum();
    CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
    Await.until("the pass is at B", SOON, () -> cluster.grid().rpc().sync("B", Gate::isReached));
    return pass;
  }

  private static Variable ofTheGate() {
    return Variable.parameter(Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 2, 3));
  }

  @Test
  void aWorkerThatDiesDuringThePassIsNamed() {
    Variable x = ofTheGate();
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      CompletableFuture<Void> pass = atTheGate(client, context, x);
      cluster.kill("B");
      assertThatThrownBy(() -> pass.get(SOON.toSeconds(), TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.WORKER_LOST))
          .hasMessageContaining("worker B");
      assertThat(context.gradient(x)).isNull();
    }
  }

  @Test
  void aMemberMayJoinDuringThePassOfAClient() throws Exception {
    Variable x = ofTheGate();
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      CompletableFuture<Void> pass = atTheGate(client, context, x);
      cluster.processes().startWorker("late");
      try {
        cluster.awaitWorkers("A", "B", "late");
        assertThat(pass).isNotDone();
        cluster.grid().rpc().sync("B", Function.action(Gate::open));
        pass.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(context.gradient(x)).isNotNull();
      } finally {
        cluster.processes().stop("late");
        cluster.grid().rpc().sync("B", Function.action(Gate::reset));
      }
    }
  }

  @Test
  void aReplyThatTheLossDoesNotUseIsNotWaitedFor() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable unused = client.rpc().sync("A", Tape::times, x);
      Variable loss = client.rpc().sync("B", Tape::times, x).sum();
      assertThat(unused.requiresGrad()).isTrue();
      assertThat(context.plan(loss).participants())
          .containsExactlyInAnyOrder(client.self().id(), client.worker("B").id());
      context.backward(loss);
      assertThat(context.gradient(x)).isEqualTo(WEIGHTS);
    }
  }

  @Test
  void aNamedPassOfAClientIsSeenThroughJet() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("B", Tape::times, x).sum();
      context.backward(PassOptions.defaults().withName("of-a-client"), loss);
      Job job = Objects.requireNonNull(client.hazelcast().getJet().getJob("hazelgrad.of-a-client"));
      assertThat(job.getStatus()).isEqualTo(JobStatus.COMPLETED);
      assertThat(sum(job.getMetrics(), "gradients")).isEqualTo(2);
      assertThat(sum(job.getMetrics(), "bytes")).isEqualTo(2 * 4 * Double.BYTES);
    }
  }

  private static long sum(JobMetrics metrics, String name) {
    return metrics.get(name).stream().mapToLong(Measurement::value).sum();
  }

  @Test
  void contextsOfAClientThatIsClosedOrLostAreReleased() throws Exception {
    GridClient client = connect();
    Context context = client.autograd().open();
    var unused = client.rpc().sync("A", Tape::times, Variable.parameter(INPUT));
    assertThat(cluster.grid().rpc().sync("A", Tape::left)).isEqualTo(1);
    client.close();
    assertThatThrownBy(() -> context.plan(Variable.parameter(Tensor.scalar(1))))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.CONTEXT_CLOSED));
    Await.until(
        "A knows no context any more", SOON, () -> cluster.grid().rpc().sync("A", Tape::left) == 0);
    try (ClientJvm process = client()) {
      assertThat(process.ask("record A B").get(SOON.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo("recorded");
      assertThat(cluster.grid().rpc().sync("B", Tape::left)).isEqualTo(1);
      process.kill();
    } // After each test nothing may be left.
  }

  @Test
  void aRelayThatDiesIsReplaced() {
    try (GridClient client = connect()) {
      List<Tensor> expected = middle(cluster.grid());
      assertThat(middle(client)).isEqualTo(expected);
      try (Context context = client.autograd().open()) {
        String relay = awaitRelay(client);
        if (!relay.equals(JvmCluster.DRIVER)) {
          cluster.kill(relay);
        }
        Variable x = Variable.parameter(INPUT);
        String other = relay.equals("A") ? "B" : "A";
        Variable y = client.rpc().sync(other, Tape::times, x).mul(x);
        context.backward(client.rpc().sync(other, Tape::times, y).sum());
        assertThat(context.gradients().keySet()).isEqualTo(Map.of(x, x).keySet());
      }
    }
  }

  @Test
  void aPassGoesOnWhenTheRelayThatRunsItLeaves() throws Exception {
    Variable x = ofTheGate();
    try (GridClient client = connectToRelayOfAnotherJvm()) {
      String relay = awaitRelay(client);
      String other = relay.equals("A") ? "B" : "A";
      try (Context context = client.autograd().open()) {
        Variable loss = client.rpc().sync(other, Gate::times, x).sum();
        CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
        Await.until(
            "the pass is there", SOON, () -> cluster.grid().rpc().sync(other, Gate::isReached));
        cluster.stop(relay);
        cluster.grid().rpc().sync(other, Function.action(Gate::open));
        pass.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(context.gradient(x)).isNotNull();
      } finally {
        cluster.grid().rpc().sync(other, Function.action(Gate::reset));
      }
    }
  }

  /** This JVM's own worker cannot leave. */
  private static GridClient connectToRelayOfAnotherJvm() {
    for (int i = 0; i < 20; i++) {
      GridClient client = connect();
      middle(client); // So that somebody relays.
      if (!awaitRelay(client).equals(JvmCluster.DRIVER)) {
        return client;
      }
      client.close();
    }
    throw new AssertionError("20 clients have all chosen " + JvmCluster.DRIVER);
  }

  private static String awaitRelay(GridClient client) {
    Map<Long, io.hazelgrad.grid.Worker> relays = client.hazelcast().getMap("hazelgrad.relays");
    Await.until("a worker relays", SOON, () -> relays.get(client.self().id()) != null);
    return Objects.requireNonNull(relays.get(client.self().id())).name();
  }
}
