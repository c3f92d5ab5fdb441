package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.HazelgradConfig.Engine;
import io.hazelgrad.grid.PlaneConfig;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.internal.call.ProvingTransport;
import io.hazelgrad.grid.internal.call.Transport;
import io.hazelgrad.grid.internal.concurrent.DeadlineWheel;
import io.hazelgrad.grid.internal.proof.CallProofs;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.internal.tasks.ClientTaskTransport;
import io.hazelgrad.grid.internal.wire.Reply;
import io.hazelgrad.grid.internal.wire.Request;
import io.hazelgrad.grid.spi.CallId;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.testkit.InProcessGrids;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A shared secret decides which workers and clients enter a grid and are heard there. */
class SecretTest {
  private static final byte[] NO_HEADERS = {};
  private static final byte[] NO_ARGUMENTS = {0};
  private static final int LARGE = 3 << 20;

  /** The functions that are called. */
  @RemoteFunctions
  static final class Steps {
    static final AtomicInteger RUNS = new AtomicInteger();
    static volatile CompletableFuture<Integer> later = new CompletableFuture<>();

    private Steps() {}

    static int run() {
      return RUNS.incrementAndGet();
    }

    static CompletableFuture<Integer> later() {
      return later;
    }

    static boolean end() {
      return later.complete(7);
    }

    static Tensor same(Tensor tensor) {
      return tensor;
    }
  }

  @TempDir private Path folder;
  private Path right;
  private Path wrong;

  /** The secret of the workers and clients that are started from now on. */
  private volatile @Nullable Path secret;

  private @Nullable InProcessGrids grids;

  @BeforeEach
  void writeSecrets() throws IOException {
    right = Files.writeString(folder.resolve("right"), "the secret of the tests\n");
    wrong = Files.writeString(folder.resolve("wrong"), "another secret of the tests\n");
    secret = right;
    Steps.RUNS.set(0);
    Steps.later = new CompletableFuture<>();
  }

  @AfterEach
  void close() {
    if (grids != null) {
      grids.close();
    }
  }

  private InProcessGrids join(Engine engine, String... names) {
    InProcessGrids joined =
        InProcessGrids.join(
            builder -> {
              Path file = secret;
              return (file == null ? builder : builder.secret(file))
                  .engine(engine)
                  .plane(PlaneConfig.defaults().withSharedBytes(0));
            },
            names);
    grids = joined;
    return joined;
  }

  @ParameterizedTest
  @EnumSource(Engine.class)
  void callsReferencesAndTensorsWorkWithSecret(Engine engine) {
    InProcessGrids joined = join(engine, "a", "b");
    Grid a = joined.grid("a");

    assertThat(a.rpc().sync("b", Steps::run)).isEqualTo(1);
    assertThat(a.rpc().sync("a", Steps::run)).isEqualTo(2);
    CompletableFuture<Integer> late = a.rpc().async("b", Function.async(Steps::later));
    assertThat(a.rpc().sync("b", Steps::end)).isTrue();
    assertThat(late.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(7);
    Tensor large = Tensor.full(DType.FLOAT32, 2, LARGE);
    assertThat(a.rpc().sync("b", Steps::same, large).shape()).isEqualTo(large.shape());
    try (RRef<Integer> remote = a.service(RRefs.class).remote("b", Steps::run)) {
      assertThat(remote.toHere()).isEqualTo(3);
    }
  }

  @Test
  void clientWorksWithSecret() {
    InProcessGrids joined = join(Engine.TASKS, "a", "b");
    try (GridClient client = joined.client("c")) {
      assertThat(client.rpc().sync("b", Steps::run)).isEqualTo(1);
      CompletableFuture<Integer> late = client.rpc().async("b", Function.async(Steps::later));
      assertThat(client.rpc().sync("b", Steps::end)).isTrue();
      assertThat(late.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(7);
      try (RRef<Integer> remote = client.rrefs().remote("b", Steps::run)) {
        assertThat(remote.toHere()).isEqualTo(2);
      }
    }
  }

  @Test
  void workerStaysOutsideWithWrongSecret() {
    InProcessGrids joined = join(Engine.TASKS, "a");
    secret = wrong;
    assertThatThrownBy(() -> joined.add("b"))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHORIZED))
        .hasMessageContaining("b has another secret than")
        .hasMessageContaining("--secret-file");
    assertThat(joined.grid("a").workers()).extracting(Worker::name).containsExactly("a");
  }

  @Test
  void workerStaysOutsideWithoutSecret() {
    InProcessGrids joined = join(Engine.TASKS, "a");
    secret = null;
    assertThatThrownBy(() -> joined.add("b"))
        .hasMessageContaining("b has no secret")
        .hasMessageContaining("hazelgrad.secret.file");
    assertThat(joined.grid("a").workers()).extracting(Worker::name).containsExactly("a");
  }

  @Test
  void workerWithSecretStaysOutsideGridWithoutOne() {
    secret = null;
    InProcessGrids joined = join(Engine.TASKS, "a");
    secret = right;
    assertThatThrownBy(() -> joined.add("b")).hasMessageContaining("b has a secret, but");
  }

  @Test
  void clientStaysOutsideWithoutRightSecret() {
    InProcessGrids joined = join(Engine.TASKS, "a");
    secret = wrong;
    assertThatThrownBy(() -> joined.client("c").close())
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).isEqualTo(Status.UNAUTHORIZED))
        .hasMessageContaining("c has another secret than");
    secret = null;
    assertThatThrownBy(() -> joined.client("c").close()).hasMessageContaining("c has no secret");
  }

  @Test
  void callOfStrangerIsRefusedWithoutRightSecret() throws Exception {
    Worker a = join(Engine.TASKS, "a").grid("a").worker();

    try (Stranger stranger = new Stranger(a)) {
      for (Proofs proofs : new Proofs[] {Proofs.NONE, proofs(wrong)}) {
        Request request = stranger.request(1);
        Reply reply = stranger.send(proofs, request);
        assertThat(failure(reply).status()).isEqualTo(Status.UNAUTHORIZED);
      }
      assertThat(failure(stranger.send(Proofs.NONE, stranger.request(2))).getMessage())
          .contains("worker a refused a call of stranger to")
          .contains("carries no proof");
    }
    assertThat(Steps.RUNS).hasValue(0);
  }

  @Test
  void callRunsOnceWhenItIsReplayed() throws Exception {
    Worker a = join(Engine.TASKS, "a").grid("a").worker();

    try (Stranger stranger = new Stranger(a)) {
      Request request = stranger.request(1);
      assertThat(stranger.send(proofs(right), request).failure()).isNull();
      // The listener sends the same bytes, as they were, from another connection.
      try (Stranger listener = new Stranger(a)) {
        Reply again = listener.send(Proofs.NONE, request);
        assertThat(again.hasTravelled()).isTrue();
      }
    }
    assertThat(Steps.RUNS).hasValue(1);
  }

  private static GridException failure(Reply reply) {
    GridException failure = reply.failure();
    assertThat(failure).isNotNull();
    return failure == null ? new GridException(Status.INTERNAL, "none") : failure;
  }

  private static Proofs proofs(Path file) {
    return SecretFile.proofs(HazelgradConfig.named("x").secret(file).build(), null);
  }

  /** A process that has the jars, connects as a Hazelcast client, and does not enter the grid. */
  private final class Stranger implements AutoCloseable {
    private final Worker self = new Worker("stranger", 77, new UUID(7, 7));
    private final Worker callee;
    private final HazelcastInstance client;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(1);
    private final DeadlineWheel deadlines = new DeadlineWheel(threads);
    private final Transport transport;

    Stranger(Worker callee) {
      this.callee = callee;
      InProcessGrids joined = Objects.requireNonNull(grids);
      ClientConfig config =
          new ClientConfig()
              .setClusterName(joined.grid(callee.name()).hazelcast().getConfig().getClusterName());
      config.getNetworkConfig().addAddress(joined.clientEndpoint(callee.name()));
      config.setProperty("hazelcast.logging.type", "slf4j");
      client = HazelcastClient.newHazelcastClient(ClientConnection.prepare(config));
      transport = new ClientTaskTransport(client, deadlines, threads);
    }

    Request request(long number) {
      return new Request(
          new CallId(self.id(), number),
          self,
          callee,
          Function.named(Steps.class, "run"),
          TimeUnit.SECONDS.toNanos(20),
          NO_HEADERS,
          NO_ARGUMENTS);
    }

    Reply send(Proofs proofs, Request request) throws Exception {
      Member member = client.getCluster().getMembers().iterator().next();
      CompletableFuture<Reply> reply = new CompletableFuture<>();
      ProvingTransport.over(transport, new CallProofs(proofs))
          .send(callee, member, request, reply::complete);
      return reply.get(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
      transport.close();
      client.shutdown();
      threads.shutdownNow();
    }
  }
}
