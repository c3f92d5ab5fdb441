package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.sql.HazelcastSqlException;
import com.hazelcast.sql.SqlResult;
import com.hazelcast.sql.SqlRow;
import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.FastStart;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.MemberSettings;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.Leftovers;
import io.hazelgrad.testkit.WorkerProbe;
import io.hazelgrad.tests.autograd.PassGate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the tables of the grid that a client without our classes reads with Hazelcast's SQL. */
class SqlTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static LocalCluster members;
  private static GridClient maker;
  private static HazelcastInstance reader;

  @BeforeAll
  static void start() {
    Path sql = MemberSettings.home().resolve("launcher/target/sql/hazelcast-sql.jar");
    members =
        LocalCluster.start(
            LocalCluster.Spec.of(List.of("A", "B")).withJvmOptions(FastStart.options(sql)));
    maker = GridClient.connect(config());
    reader = HazelcastClient.newHazelcastClient(config());
    Await.until(
        "the mappings are there",
        PATIENCE,
        () ->
            rows("SHOW MAPPINGS").size() == 8
                && !rows("SELECT * FROM hazelgrad_workers").isEmpty());
  }

  private static ClientConfig config() {
    ClientConfig config = new ClientConfig().setClusterName(members.name());
    config
        .getNetworkConfig()
        .addAddress(members.worker("A").clientEndpoint(), members.worker("B").clientEndpoint());
    return config;
  }

  @AfterAll
  static void end() {
    reader.shutdown();
    maker.close();
    members.close();
    Leftovers.check();
  }

  /** Returns the rows. A query in which a killed worker had part is repeated, as users must. */
  private static List<List<@Nullable Object>> rows(String query, Object... arguments) {
    AtomicReference<List<List<@Nullable Object>>> rows = new AtomicReference<>(List.of());
    Await.until(
        "no killed worker has part in: " + query,
        PATIENCE,
        () -> {
          try {
            rows.set(rowsNow(query, arguments));
            return true;
          } catch (HazelcastSqlException e) {
            assertThat(e).hasMessageContaining("Cluster topology changed");
            return false;
          }
        });
    return rows.get();
  }

  private static List<List<@Nullable Object>> rowsNow(String query, Object... arguments) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (SqlResult result = reader.getSql().execute(query, arguments)) {
      for (SqlRow row : result) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < row.getMetadata().getColumnCount(); i++) {
          values.add(row.getObject(i));
        }
        rows.add(values);
      }
    }
    return rows;
  }

  private static long id(String worker) {
    return maker.worker(worker).id();
  }

  @Test
  void tablesNameWorkersAndClients() {
    Await.until( // A worker of an earlier test may have just been killed.
        "A and B are there", PATIENCE, () -> rows("SELECT * FROM hazelgrad_workers").size() == 2);
    assertThat(rows("SELECT name, id FROM hazelgrad_workers"))
        .containsExactlyInAnyOrder(List.of("A", id("A")), List.of("B", id("B")));
    assertThat(rows("SELECT name, id FROM hazelgrad_clients"))
        .containsExactly(List.of(maker.self().name(), maker.self().id()));
  }

  @Test
  void tablesNameOwnersAndHoldersOfReferences() {
    try (RRef<Counter> one = maker.rrefs().remote("A", Counter::new);
        RRef<Counter> two = maker.rrefs().remote("B", Counter::new)) {
      one.creation().join();
      two.creation().join();
      String type = Counter.class.getName();
      String holder = Long.toString(maker.self().id());
      assertThat(
              rows(
                  "SELECT owner, state, type, epoch, forks, holders FROM hazelgrad_rrefs WHERE"
                      + " state <> 'GONE'"))
          .containsExactlyInAnyOrder(
              List.of(id("A"), "READY", type, 0, 1, holder),
              List.of(id("B"), "READY", type, 0, 1, holder));
      assertThat(
              rows(
                  "SELECT creator FROM hazelgrad_rrefs WHERE owner = ? AND state = 'READY'",
                  id("B")))
          .containsExactly(List.of(maker.self().id()));
      assertThat(rows("SELECT owner FROM hazelgrad_rrefs WHERE holders LIKE ?", "%" + holder + "%"))
          .contains(List.of(id("A")), List.of(id("B")));
      assertThat(rows("SELECT owner, type, forks FROM hazelgrad_rrefs WHERE forks > 100"))
          .isEmpty();
      assertThat(rows("SELECT creator, sequence, owner FROM hazelgrad_rrefs WHERE state = 'LOST'"))
          .isEmpty();
    }
  }

  @Test
  void tablesHaveFiguresOfEachWorker() {
    try (RRef<Counter> held = maker.rrefs().remote("A", Counter::new)) {
      held.creation().join();
      awaitFigure("A", "rref.num_owner_rrefs", 1);
      awaitFigure("B", "rref.num_owner_rrefs", 0);
    }
    awaitFigure("A", "rref.num_owner_rrefs", 0);
    awaitFigure("B", "agent.thread_pool_size", 16);
    awaitFigure("B", "quorum.held", 1);
    awaitFigure("B", "autograd.num_autograd_contexts", 0);
  }

  private static void awaitFigure(String worker, String figure, long amount) {
    awaitRows(
        List.of(List.of(amount)),
        "SELECT amount FROM hazelgrad_figures WHERE worker = ? AND figure = ?",
        worker,
        figure);
  }

  @Test
  void tablesHaveCallsByDestinationAndKind() {
    for (int i = 0; i < 3; i++) {
      assertThat(maker.rpc().sync("A", WorkerProbe::objectsOf, "B")).isZero();
    }
    String where =
        " FROM hazelgrad_calls WHERE worker = 'A' AND destination = 'B'"
            + " AND kind = 'call.function'";
    awaitRows(List.of(List.of(3L, 0L)), "SELECT \"count\", errors" + where);
    assertThat((Long) rows("SELECT latency_p50" + where).get(0).get(0)).isPositive();
    assertThat((Long) rows("SELECT bytes_out" + where).get(0).get(0)).isPositive();
    assertThat(rows("SELECT served_p99 FROM hazelgrad_served WHERE worker = 'B'")).isNotEmpty();
  }

  /** A pass waits at B until the test lets it end. */
  @Test
  void tablesNameOriginatorsAndOutcomesOfPasses() {
    String self = maker.self().name();
    Autograd autograd = maker.autograd();
    try (Context context = autograd.open()) {
      String id = id(context);
      Variable x = Variable.parameter(Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 2, 3));
      Variable loss = maker.rpc().sync("B", PassGate::times, x).sum();
      awaitRows(
          List.of(List.of(self, "CLIENT", "OPEN")),
          "SELECT originator, kind, state FROM hazelgrad_contexts WHERE id = ?",
          id);
      CompletableFuture<Void> pass = CompletableFuture.runAsync(() -> context.backward(loss));
      try {
        awaitRows(
            List.of(List.of("RUNNING", self, "CLIENT", self + ", B", 2, 2)),
            "SELECT state, worker, kind, workers, waves, messages FROM hazelgrad_passes"
                + " WHERE context = ? AND bytes IS NULL AND milliseconds IS NULL",
            id);
        awaitRows(
            List.of(List.of("BACKWARD")), "SELECT state FROM hazelgrad_contexts WHERE id = ?", id);
      } finally {
        maker.rpc().sync("B", Function.action(PassGate::open));
      }
      pass.join();
      // Two messages of six doubles.
      awaitRows(
          List.of(List.of("COMMITTED", 96L, 0)),
          "SELECT state, bytes, attempt FROM hazelgrad_passes WHERE context = ?"
              + " AND milliseconds > 0 AND error IS NULL",
          id);
      assertThatThrownBy(() -> context.backward(loss)).hasMessageContaining("freed");
      awaitRows(
          List.of(List.of("GRAPH_FREED")),
          "SELECT status FROM hazelgrad_passes WHERE context = ? AND state = 'ABORTED'"
              + " AND error LIKE '%freed%'",
          id);
      List<List<@Nullable Object>> since =
          rows("SELECT since FROM hazelgrad_contexts WHERE id = ?", id);
      assertThat((OffsetDateTime) since.get(0).get(0))
          .isBetween(
              OffsetDateTime.now(ZoneOffset.UTC).minusMinutes(2),
              OffsetDateTime.now(ZoneOffset.UTC));
      assertThat(
              rows(
                  "SELECT id FROM hazelgrad_contexts WHERE since < ?",
                  OffsetDateTime.now(ZoneOffset.UTC)))
          .contains(List.of(id));
    }
    awaitRows(List.of(), "SELECT id FROM hazelgrad_contexts");
  }

  /** All queries of the manual run. */
  @Test
  void queriesOfManualRun() throws IOException {
    String manual = Files.readString(Path.of("../docs/management-center.md"));
    List<String> queries =
        Pattern.compile("`(SELECT [^`]+)`")
            .matcher(manual)
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(queries).hasSizeGreaterThan(10);
    for (String query : queries) {
      assertThatCode(() -> rows(query)).as(query).doesNotThrowAnyException();
    }
  }

  private static String id(Context context) {
    return context.id().originator() + "-" + context.id().sequence();
  }

  private static void awaitRows(List<List<Object>> expected, String query, Object... arguments) {
    Await.until(
        PATIENCE,
        () -> {
          List<List<@Nullable Object>> found = rows(query, arguments);
          return found.equals(expected) ? "" : query + " gives " + expected + ": " + found;
        });
  }

  /**
   * A worker that dies during a pass leaves no context, and a row with the reason of the pass's
   * end.
   */
  @Test
  @Tag("slow")
  void tablesDropContextsAndPassesWhenWorkerDies() {
    members.startWorker("C");
    var unused = maker.rpc().async("C", Function.action(PassGate::originateHeld), "B");
    awaitRows(
        List.of(List.of("C", "WORKER", "BACKWARD")),
        "SELECT originator, kind, state FROM hazelgrad_contexts WHERE originator = 'C'");
    awaitRows(List.of(List.of("RUNNING")), "SELECT state FROM hazelgrad_passes WHERE worker = 'C'");
    members.worker("C").kill();
    awaitRows(
        List.of(List.of("ABORTED", "WORKER_LOST", "C was lost while it ran the pass")),
        "SELECT state, status, error FROM hazelgrad_passes WHERE worker = 'C'");
    awaitRows(List.of(), "SELECT id FROM hazelgrad_contexts WHERE originator = 'C'");
  }
}
