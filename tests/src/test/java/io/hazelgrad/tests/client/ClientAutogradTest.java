package io.hazelgrad.tests.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.jet.Job;
import com.hazelcast.jet.core.JobStatus;
import com.hazelcast.jet.core.metrics.JobMetrics;
import com.hazelcast.jet.core.metrics.Measurement;
import com.hazelcast.map.IMap;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.PassOptions;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.relay.ClientRelay;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.DistributedOptimizer;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.fault.Faults;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.tests.PeerTest;
import io.hazelgrad.tests.autograd.PassGate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests of differentiation that thin clients drive, with the client at any place in the graph. The
 * gradients must equal those of a worker in its place, bit for bit.
 */
@ExtendWith(Leftovers.class)
class ClientAutogradTest extends ClientTestBase {
  private static final Tensor INPUT = Tensor.of(new double[] {0.5, -1, 2, 0.25}, 4);

  /** The weights of {@link DifferentiableFunctions} on each worker. */
  private static final Tensor WEIGHTS = Tensor.of(new double[] {1, -2, 3, 0.125}, 4);

  private static GridClient connect() {
    ClientConfig config = new ClientConfig();
    config.setClusterName(clusterName());
    for (String worker : List.of("A", "B")) {
      config.getNetworkConfig().addAddress(cluster.processes().worker(worker).clientEndpoint());
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
            int left = cluster.grid().rpc().sync(worker, DifferentiableFunctions::left);
            return left == 0 ? "" : worker + " has contexts or passes: " + left;
          });
    }
  }

  /** Returns the gradients here and then those of the workers' weights. */
  private static List<Tensor> outcome(GridAccess grid, Context context, Variable... leaves) {
    List<Tensor> all = new ArrayList<>();
    for (Variable leaf : leaves) {
      all.add(Objects.requireNonNull(context.gradient(leaf)));
    }
    for (String worker : List.of("A", "B")) {
      all.add(context.within(() -> grid.rpc().sync(worker, DifferentiableFunctions::gradient)));
    }
    return all;
  }

  private static List<Tensor> chain(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    try (Context context = autograd(grid).open()) {
      Variable loss =
          grid.rpc()
              .sync(
                  "B",
                  DifferentiableFunctions::times,
                  grid.rpc().sync("A", DifferentiableFunctions::times, x))
              .sum();
      context.backward(loss);
      return outcome(grid, context, x);
    }
  }

  @Test
  void clientRunsPassWhenItHasEndsOfGraph() {
    try (GridClient client = connect()) {
      assertThat(chain(client)).isEqualTo(chain(cluster.grid()));
    }
  }

  private static List<Tensor> middle(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    Variable w = Variable.parameter(Tensor.of(new double[] {3, 1, -2, 0.5}, 4));
    try (Context context = autograd(grid).open()) {
      Variable y = grid.rpc().sync("A", DifferentiableFunctions::times, x);
      for (int i = 0; i < 3; i++) {
        y =
            grid.rpc()
                .sync(i % 2 == 0 ? "B" : "A", DifferentiableFunctions::times, y.mul(w).tanh())
                .add(x);
      }
      context.backward(y.sum());
      return outcome(grid, context, x, w);
    }
  }

  @Test
  void clientRunsPassWhenItIsInMiddleOfGraph() {
    try (GridClient client = connect()) {
      assertThat(middle(client)).isEqualTo(middle(cluster.grid()));
    }
  }

  private static List<Tensor> rootElsewhere(GridAccess grid) {
    Variable x = Variable.parameter(INPUT);
    try (Context context = autograd(grid).open()) {
      Variable y = grid.rpc().sync("A", DifferentiableFunctions::times, x).mul(x);
      try (RRef<Variable> loss =
          RRefs.on(grid).remote("B", DifferentiableFunctions::sumOfTimes, y)) {
        context.backward(loss);
      }
      return outcome(grid, context, x);
    }
  }

  @Test
  void workerRunsPassWithClientAsParticipant() {
    try (GridClient client = connect()) {
      assertThat(rootElsewhere(client)).isEqualTo(rootElsewhere(cluster.grid()));
    }
  }

  private static List<Tensor> trained(GridAccess grid) {
    RRefs rrefs = RRefs.on(grid);
    try (RRef<Variable> a = rrefs.remote("A", DifferentiableFunctions::parameter, 1.5);
        RRef<Variable> b = rrefs.remote("B", DifferentiableFunctions::parameter, -0.5);
        DistributedOptimizer optimizer =
            DistributedOptimizer.over(grid).parameters(Sgd.of(0.05), List.of(a, b)).create()) {
      for (int step = 0; step < 5; step++) {
        try (Context context = autograd(grid).open()) {
          Variable y = a.sync(DifferentiableFunctions::scale, Variable.of(INPUT)).tanh();
          Variable loss = b.sync(DifferentiableFunctions::scale, y).sum();
          context.backward(loss);
          assertThat(optimizer.step(context).changed()).isEqualTo(2);
        }
      }
      return List.of(a.toHere().value(), b.toHere().value());
    }
  }

  @Test
  void clientRunsOptimizer() {
    List<Tensor> expected = trained(cluster.grid());
    try (GridClient client = connect()) {
      assertThat(trained(client)).isEqualTo(expected).isNotEqualTo(List.of(1.5, -0.5));
    }
  }

  @Test
  void fiveClientsRunPassesConcurrently() throws Exception {
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
  void passNamesWorkerAndChangesNothingWhenItFailsThere() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("A", DifferentiableFunctions::breaking, x).sum();
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("worker A")
          .hasMessageContaining("broken on purpose");
      assertThat(context.gradient(x)).isNull();
      assertThat(client.autograd().passCount()).isZero();
      Variable again = client.rpc().sync("A", DifferentiableFunctions::times, x).sum();
      context.backward(again);
      assertThat(gradient(context, x)).containsExactly(DifferentiableFunctions.WEIGHTS);
    }
  }

  @Test
  void passNamesClientWhenItFailsThere() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable y =
          DifferentiableFunctions.breaking(
              client.rpc().sync("A", DifferentiableFunctions::times, x));
      Variable loss = client.rpc().sync("B", DifferentiableFunctions::times, y).sum();
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("trainer")
          .hasMessageContaining("broken on purpose");
      assertThat(context.gradient(x)).isNull();
    }
  }

  @Test
  @PeerTest(value = "test_backward_node_failure", client = true)
  @Tag("slow")
  void passNamesWorkerThatDiedBefore() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("B", DifferentiableFunctions::times, x).sum();
      cluster.kill("B");
      assertThatThrownBy(() -> context.backward(loss))
          .isInstanceOfSatisfying(
              GridException.class, e -> assertThat(e.status()).isEqualTo(Status.WORKER_LOST))
          .hasMessageContaining("worker B");
      assertThat(context.gradient(x)).isNull();
      Variable other = client.rpc().sync("A", DifferentiableFunctions::times, x).sum();
      context.backward(other);
      assertThat(gradient(context, x)).containsExactly(DifferentiableFunctions.WEIGHTS);
    }
  }

  /** Starts a pass that waits at B. */
  private static CompletableFuture<Void> atTheGate(GridClient client, Context context, Variable x) {
    Variable loss = client.rpc().sync("B", PassGate::times, x).sum();
    CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
    Await.until(
        "the pass is at B", SOON, () -> cluster.grid().rpc().sync("B", PassGate::isReached));
    return pass;
  }

  private static double[] gradient(Context context, Variable x) {
    return Objects.requireNonNull(context.gradient(x)).toDoubles();
  }

  private static Variable ofTheGate() {
    return Variable.parameter(Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 2, 3));
  }

  @Test
  @PeerTest(value = "test_backward_node_failure_python_udf", client = true)
  @Tag("slow")
  void passNamesWorkerThatDiesMeanwhile() {
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
  @PeerTest(value = "member_joins_during_backward", client = true)
  @Tag("slow")
  void passContinuesWhenMemberJoins() throws Exception {
    Variable x = ofTheGate();
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      CompletableFuture<Void> pass = atTheGate(client, context, x);
      cluster.processes().startWorker("late");
      try {
        cluster.awaitWorkers("A", "B", "late");
        assertThat(pass).isNotDone();
        cluster.grid().rpc().sync("B", Function.action(PassGate::open));
        pass.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(context.gradient(x)).isNotNull();
      } finally {
        cluster.processes().worker("late").stop();
        cluster.grid().rpc().sync("B", Function.action(PassGate::reset));
      }
    }
  }

  @Test
  @Tag("slow") // The first relay gives the client up after 20 s of silence.
  void passContinuesWhenClientChangesItsRelay() throws Exception {
    Variable x = ofTheGate();
    IMap<Long, Worker> relays = cluster.grid().hazelcast().getMap(ClientRelay.MAP);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      CompletableFuture<Void> pass = atTheGate(client, context, x);
      long id = client.self().id();
      Worker first = Objects.requireNonNull(relays.get(id));
      Faults.of(client).onAny().to(first.name()).dropRequest();
      Await.until("the client has another relay", SOON, () -> !first.equals(relays.get(id)));
      Faults.of(client).clear();
      assertThat(pass).isNotDone();
      cluster.grid().rpc().sync("B", Function.action(PassGate::open));
      pass.get(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(context.gradient(x)).isNotNull();
    } finally {
      cluster.grid().rpc().sync("B", Function.action(PassGate::reset));
    }
  }

  @Test
  @PeerTest(value = "backward_with_an_unused_call", client = true)
  void passEndsWhenReplyIsUnused() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable unused = client.rpc().sync("A", DifferentiableFunctions::times, x);
      Variable loss = client.rpc().sync("B", DifferentiableFunctions::times, x).sum();
      assertThat(unused.requiresGrad()).isTrue();
      assertThat(context.plan(loss).participants())
          .containsExactlyInAnyOrder(client.self().id(), client.worker("B").id());
      context.backward(loss);
      assertThat(context.gradient(x)).isEqualTo(WEIGHTS);
    }
  }

  @Test
  @PeerTest(value = "test_dist_autograd_profiling", client = true)
  void namedPassIsVisibleInJet() {
    Variable x = Variable.parameter(INPUT);
    try (GridClient client = connect();
        Context context = client.autograd().open()) {
      Variable loss = client.rpc().sync("B", DifferentiableFunctions::times, x).sum();
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
  @PeerTest(value = "release_of_a_context_whose_originator_died", client = true)
  void contextsAreReleasedWhenClientClosesOrIsLost() throws Exception {
    GridClient client = connect();
    Context context = client.autograd().open();
    var unused = client.rpc().sync("A", DifferentiableFunctions::times, Variable.parameter(INPUT));
    assertThat(cluster.grid().rpc().sync("A", DifferentiableFunctions::left)).isEqualTo(1);
    client.close();
    assertThatThrownBy(() -> context.plan(Variable.parameter(Tensor.scalar(1))))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.CONTEXT_CLOSED));
    Await.until(
        "A knows no context any more",
        SOON,
        () -> cluster.grid().rpc().sync("A", DifferentiableFunctions::left) == 0);
    try (ClientJvm process = client()) {
      assertThat(process.ask("record A B").get(SOON.toSeconds(), TimeUnit.SECONDS))
          .isEqualTo("recorded");
      assertThat(cluster.grid().rpc().sync("B", DifferentiableFunctions::left)).isEqualTo(1);
      process.kill();
    } // After each test nothing may be left.
  }

  @Test
  void relayIsReplacedWhenItDies() {
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
        Variable y = client.rpc().sync(other, DifferentiableFunctions::times, x).mul(x);
        context.backward(client.rpc().sync(other, DifferentiableFunctions::times, y).sum());
        assertThat(context.gradients().keySet()).isEqualTo(Map.of(x, x).keySet());
      }
    }
  }

  @Test
  @Tag("slow")
  void passContinuesWhenItsRelayLeaves() throws Exception {
    Variable x = ofTheGate();
    try (GridClient client = connectToRelayOfAnotherJvm()) {
      String relay = awaitRelay(client);
      String other = relay.equals("A") ? "B" : "A";
      try (Context context = client.autograd().open()) {
        Variable loss = client.rpc().sync(other, PassGate::times, x).sum();
        CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
        Await.until(
            "the pass is there", SOON, () -> cluster.grid().rpc().sync(other, PassGate::isReached));
        cluster.stop(relay);
        cluster.grid().rpc().sync(other, Function.action(PassGate::open));
        pass.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(context.gradient(x)).isNotNull();
      } finally {
        cluster.grid().rpc().sync(other, Function.action(PassGate::reset));
      }
    }
  }

  /** Connects a client whose relay is not this JVM's own worker, which cannot leave. */
  private static GridClient connectToRelayOfAnotherJvm() {
    for (int i = 0; i < 20; i++) {
      GridClient client = connect();
      middle(client); // So that the client has a relay.
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
