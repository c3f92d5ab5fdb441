package io.hazelgrad.grid.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Calls;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Eventually;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.ProbeExtension;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Signals;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TestGrids;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.plane.TensorPlane;
import io.hazelgrad.grid.spi.ClientConnection;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What workers do when a client's entry goes, by the client or by the member that found it lost.
 */
class GoneClientsTest {
  private final String signal = "gone " + UUID.randomUUID();

  private TestGrids grids;
  private Grid alice;
  private Grid bob;
  private HazelcastInstance hazelcast;
  private ClientConnection client;

  @BeforeEach
  void connect() {
    grids = new TestGrids();
    alice = grids.join("alice");
    bob = grids.join("bob");
    ClientConfig config = new ClientConfig();
    config.setClusterName(alice.hazelcast().getConfig().getClusterName());
    config
        .getNetworkConfig()
        .addAddress(
            "127.0.0.1:" + alice.hazelcast().getCluster().getLocalMember().getAddress().getPort());
    config.setProperty("hazelcast.logging.type", "slf4j");
    hazelcast = HazelcastClient.newHazelcastClient(ClientConnection.prepare(config));
    client = ClientConnection.over(hazelcast, config, HazelgradConfig.named("client").build());
  }

  @AfterEach
  void end() {
    client.close();
    hazelcast.shutdown();
    grids.close();
  }

  /** As the deciding member does with one that no member has a connection of. */
  private void declareLost(Worker lost) {
    assertThat(alice.hazelcast().getMap(ClientDirectory.CLIENTS).remove(lost.id())).isEqualTo(lost);
  }

  private static ProbeExtension.Probe probe(Grid grid) {
    return grid.service(ProbeExtension.Probe.class);
  }

  private void awaitToldOnce(Worker gone) {
    for (Grid grid : new Grid[] {alice, bob}) {
      Eventually.until("it was told", () -> !probe(grid).gone.isEmpty());
      assertThat(probe(grid).gone).containsExactly(gone);
    }
  }

  private static Status statusOf(CompletableFuture<?> call) {
    return catchThrowableOfType(GridException.class, () -> Rpc.await(call)).status();
  }

  private static Map<String, Long> figures(Grid grid) {
    return Metrics.of(grid).figures();
  }

  /** As when its removal was lost: the member that did it died, and its backup had not heard. */
  @Test
  void entryIsRemovedAgainWhenItReturns() {
    Worker before = client.self();
    declareLost(before);
    awaitToldOnce(before);

    Map<Long, Worker> map = bob.hazelcast().getMap(ClientDirectory.CLIENTS);
    map.put(before.id(), before);

    Eventually.until("it is not there", () -> !map.containsKey(before.id()));
    awaitToldOnce(before);
  }

  @Test
  void callsEndAndWindowIsRemovedWhenClientIsGone() {
    Worker before = client.self();
    CompletableFuture<String> running = client.rpc().async("bob", Calls::block, signal);
    CompletableFuture<String> stage =
        client.rpc().async("bob", Function.async(Calls::later), signal + " stage");
    Signals.named(signal).awaitStarted();
    Signals.named(signal + " stage").awaitStarted();
    assertThat(figures(bob)).containsEntry("agent.server_known_callers", 1L);

    declareLost(before);

    assertThat(statusOf(running)).isEqualTo(Status.FENCED);
    assertThat(statusOf(stage)).isEqualTo(Status.FENCED);
    awaitToldOnce(before);
    Eventually.until("nothing is served", () -> bob.activeCalls() == 0);
    assertThat(figures(bob))
        .containsEntry("agent.server_known_callers", 0L)
        .containsEntry("agent.deadlines", 0L);
  }

  @Test
  void wayOfTensorsToAClientIsForgottenWhenItIsGone() {
    Worker before = client.self();
    Object large = Tensor.zeros(DType.FLOAT32, 1 << 18);
    assertThat(client.rpc().sync("bob", Calls::echo, large)).isEqualTo(large);
    assertThat(peersOfPlane(bob)).contains(before.id());
    declareLost(before);
    awaitToldOnce(before);
    Eventually.until("it is forgotten", () -> !peersOfPlane(bob).contains(before.id()));
  }

  /** Returns the ids of those that the plane of a worker remembers a way to. */
  private static Set<Object> peersOfPlane(Grid grid) {
    Object peers = field(grid.service(TensorPlane.class), "peers");
    return Set.copyOf(((Map<?, ?>) field(peers, "peers")).keySet());
  }

  private static Object field(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  @Test
  void lateRequestsAreRefusedAndClientContinuesAsAnother() {
    Worker before = client.self();
    Rpc stale = client.rpc();
    assertThat(stale.sync("bob", Calls::length, "four")).isEqualTo(4);
    declareLost(before);
    awaitToldOnce(before);

    GridException refused =
        catchThrowableOfType(
            GridException.class, () -> stale.sync("bob", Function.action(Calls::mark), signal));
    // The member refuses the call, or the client ends it if another message was refused before.
    assertThat(refused.status()).isEqualTo(Status.FENCED);
    assertThat(refused).hasMessageContaining("client client (id " + before.id() + ")");
    Eventually.until("it is another one", () -> client.self().id() != before.id());
    assertThat(client.rpc().sync("bob", Calls::length, "three")).isEqualTo(5);
    GridException late =
        catchThrowableOfType(GridException.class, () -> stale.sync("bob", Calls::worker));
    assertThat(late.status()).isEqualTo(Status.FENCED);
    assertThat(late.mayHaveRun()).isFalse();
    assertThat(Signals.named(signal).started.get()).isZero();
    assertThat(bob.hazelcast().getMap(ClientDirectory.CLIENTS).keySet())
        .isEqualTo(Set.of(client.self().id()));
  }

  @Test
  void clientIsGoneAtOnceAndItsCallsEndWhenItCloses() {
    Worker before = client.self();
    CompletableFuture<String> running = client.rpc().async("bob", Calls::block, signal);
    Signals.named(signal).awaitStarted();
    client.close();
    assertThat(statusOf(running)).isEqualTo(Status.CLOSED);
    awaitToldOnce(before);
    Eventually.until("nothing is served", () -> bob.activeCalls() == 0);
  }

  @Test
  void lateMemberKnowsGoneClients() {
    Grid carol = grids.join("carol");
    Worker before = client.self();
    declareLost(before);
    Eventually.until("it was told", () -> !probe(carol).gone.isEmpty());
    assertThat(probe(carol).gone).containsExactly(before);
  }
}
