package io.hazelgrad.tests.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.testkit.GridCluster;
import io.hazelgrad.testkit.GridTest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard for Grafana asks for what workers publish. */
@GridTest(workers = 2, jvmOptions = "-Dhazelgrad.metrics-port=0")
class GrafanaTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));

  private GrafanaDashboard dashboard;

  @BeforeEach
  void read() throws IOException {
    dashboard = GrafanaDashboard.read(HOME.resolve("dist/grafana/hazelgrad.json"));
    assertThat(dashboard.queries()).hasSizeGreaterThan(20);
  }

  private static URI endpoint(Grid grid, String worker) {
    return URI.create(grid.rpc().sync(worker, MeasuredCalls::endpoint));
  }

  private static void work(Grid grid) {
    for (String worker : List.of("w1", "w2")) {
      String other = worker.equals("w1") ? "w2" : "w1";
      assertThat(
              grid.rpc()
                  .<String, String, Integer>sync(worker, MeasuredCalls::lengthAt, other, "abc"))
          .isEqualTo(3);
    }
  }

  @Test
  void everyMetricAndLabelIsPublished(GridCluster cluster) {
    Grid grid = cluster.grid();
    work(grid);
    URI endpoint = endpoint(grid, "w1");
    cluster.await(
        "the counters of calls are there",
        () -> Scrape.of(endpoint).labels().containsKey("hazelgrad_calls_seconds_count"));
    Map<String, Set<String>> published = Scrape.of(endpoint).labels();
    for (GrafanaDashboard.Query query : dashboard.queries()) {
      assertThat(query.metrics()).as(query.panel()).isNotEmpty();
      query
          .metrics()
          .forEach(
              (metric, labels) -> {
                assertThat(published).as(query.panel()).containsKey(metric);
                assertThat(published.get(metric)).as("%s in %s", metric, query).containsAll(labels);
              });
    }
    assertThat(dashboard.variables())
        .isNotEmpty()
        .map(GrafanaDashboard::values)
        .allSatisfy(it -> assertThat(published.get(it.getKey())).contains(it.getValue()));
  }

  @Test
  void figuresAreInTheReference(GridCluster cluster) throws IOException {
    String page = Files.readString(HOME.resolve("docs/reference/metrics.md"));
    assertThat(Metrics.of(cluster.grid()).figures().keySet())
        .isNotEmpty()
        .allSatisfy(figure -> assertThat(page.contains("`" + figure + "`")).isTrue());
  }

  /** Prometheus itself answers all queries, where it is installed. */
  @Test
  void prometheusAnswersEveryQuery(GridCluster cluster, @TempDir Path folder) throws Exception {
    Grid grid = cluster.grid();
    List<URI> endpoints = List.of(endpoint(grid, "w1"), endpoint(grid, "w2"));
    try (Prometheus prometheus = Prometheus.start(folder, endpoints)) {
      for (GrafanaDashboard.Query query : dashboard.queries()) {
        cluster.await(
            "Prometheus has an answer for " + query,
            () -> {
              work(grid); // A rate needs two samples that differ in time.
              return !prometheus.query(query.forEveryWorker("10s")).isEmpty();
            });
      }
    }
  }
}
