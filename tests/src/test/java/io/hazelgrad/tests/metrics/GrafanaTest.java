package io.hazelgrad.tests.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.metrics.Metrics;
import io.hazelgrad.grid.prometheus.PrometheusEndpoint;
import io.hazelgrad.grid.prometheus.PrometheusOptions;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.InProcessGrids;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The dashboard for Grafana and the page of metrics know what a worker publishes. */
class GrafanaTest {
  private static final Path HOME = Path.of(System.getProperty("hazelgrad.home", ".."));

  private static InProcessGrids grids;

  @BeforeAll
  static void join() {
    grids = InProcessGrids.join(worker -> worker.options(PrometheusOptions.onPort(0)), "w1", "w2");
  }

  @AfterAll
  static void end() {
    grids.close();
  }

  private static Map<String, Set<String>> published() {
    Grid grid = grids.grid("w1");
    MeasuredCalls.work(grid);
    URI endpoint = PrometheusEndpoint.of(grid).uri();
    Await.until(
        "the counters of calls are there",
        Duration.ofSeconds(30),
        () -> Scrape.of(endpoint).labels().containsKey("hazelgrad_calls_seconds_count"));
    return Scrape.of(endpoint).labels();
  }

  @Test
  void everyMetricAndLabelOfTheDashboardIsPublished() throws IOException {
    GrafanaDashboard dashboard = GrafanaDashboard.read();
    Map<String, Set<String>> published = published();
    assertThat(dashboard.queries()).hasSizeGreaterThan(20);
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
  void figuresAreInTheReference() throws IOException {
    String page = Files.readString(HOME.resolve("docs/reference/metrics.md"));
    assertThat(Metrics.of(grids.grid("w1")).figures().keySet())
        .isNotEmpty()
        .allSatisfy(figure -> assertThat(page.contains("`" + figure + "`")).isTrue());
  }
}
