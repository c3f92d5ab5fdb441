package io.hazelgrad.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.sql.SqlResult;
import com.hazelcast.sql.SqlRow;
import io.hazelgrad.cli.LocalCluster;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.rref.RRef;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a client without our classes reads of the grid by Hazelcast's SQL. */
class SqlTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static LocalCluster members;
  private static GridClient maker;
  private static HazelcastInstance reader;

  @BeforeAll
  static void start() {
    String withSql =
        System.getProperty("java.class.path")
            + File.pathSeparator
            + Path.of("target/sql/hazelcast-sql.jar").toAbsolutePath();
    members =
        LocalCluster.start(
            LocalCluster.Spec.of(List.of("A", "B")).withJvmOptions(List.of("-cp", withSql)));
    maker = GridClient.connect(config());
    reader = HazelcastClient.newHazelcastClient(config());
    Await.until(
        "the mappings are there",
        PATIENCE,
        () ->
            rows("SHOW MAPPINGS").size() == 3
                && !rows("SELECT * FROM hazelgrad_workers").isEmpty());
  }

  private static ClientConfig config() {
    ClientConfig config = new ClientConfig().setClusterName(members.name());
    config.getNetworkConfig().addAddress(members.clientEndpoint("A"), members.clientEndpoint("B"));
    return config;
  }

  @AfterAll
  static void end() {
    reader.shutdown();
    maker.close();
    members.close();
    Leftovers.check();
  }

  private static List<List<@Nullable Object>> rows(String query, Object... arguments) {
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
  void workersAndClientsHaveNamesAndIds() {
    assertThat(rows("SELECT name, id FROM hazelgrad_workers"))
        .containsExactlyInAnyOrder(List.of("A", id("A")), List.of("B", id("B")));
    assertThat(rows("SELECT name, id FROM hazelgrad_clients"))
        .containsExactly(List.of(maker.self().name(), maker.self().id()));
  }

  @Test
  void referencesSayWhoOwnsAndWhoHoldsThem() {
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
}
