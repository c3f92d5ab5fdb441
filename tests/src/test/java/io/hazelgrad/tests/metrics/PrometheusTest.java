package io.hazelgrad.tests.metrics;

import io.hazelgrad.grid.Grid;
import io.hazelgrad.testkit.GridCluster;
import io.hazelgrad.testkit.GridTest;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus itself, where it is installed, reads two workers and answers the dashboard. */
@Tag("slow")
@GridTest(workers = 2, jvmOptions = "-Dhazelgrad.metrics-port=0")
class PrometheusTest {
  private static URI endpoint(Grid grid, String worker) {
    return URI.create(grid.rpc().sync(worker, MeasuredCalls::endpoint));
  }

  @Test
  void everyQueryOfTheDashboardHasAnAnswer(GridCluster cluster, @TempDir Path folder)
      throws Exception {
    Grid grid = cluster.grid();
    List<URI> endpoints = List.of(endpoint(grid, "w1"), endpoint(grid, "w2"));
    try (Prometheus prometheus = Prometheus.start(folder, endpoints)) {
      for (GrafanaDashboard.Query query : GrafanaDashboard.read().queries()) {
        cluster.await(
            "Prometheus has an answer for " + query,
            () -> {
              MeasuredCalls.work(grid); // A rate needs two samples.
              return !prometheus.query(query.forEveryWorker("10s")).isEmpty();
            });
      }
    }
  }
}
