package io.hazelgrad.launcher.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.Latency;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A worker with its counters, or null if it did not send them in time. */
record WorkerFigures(Worker worker, @Nullable MetricsSnapshot metrics) {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final String FUNCTIONS = "call.function";

  /** Asks all workers at once. */
  static List<WorkerFigures> ofAll(GridAccess grid) {
    Rpc rpc = grid.rpc().within(TIMEOUT);
    List<CompletableFuture<WorkerFigures>> asked = new ArrayList<>();
    for (Worker worker : grid.workers()) {
      asked.add(
          rpc.async(worker.name(), MetricsSnapshot::ofCallee)
              .handle((metrics, failure) -> new WorkerFigures(worker, metrics)));
    }
    return asked.stream().map(CompletableFuture::join).toList();
  }

  ObjectNode json(ObjectMapper mapper) {
    ObjectNode json = mapper.createObjectNode().put("name", worker.name()).put("id", worker.id());
    MetricsSnapshot now = metrics;
    if (now == null) {
      return json;
    }
    json.set("figures", mapper.valueToTree(now.figures()));
    json.put("served", now.served().stream().mapToLong(ServedMetrics::calls).sum());
    json.put("failed", now.served().stream().mapToLong(ServedMetrics::errors).sum());
    now.served().stream()
        .filter(row -> row.kind().equals(FUNCTIONS))
        .map(ServedMetrics::served)
        .forEach(latency -> put(json, latency));
    return json;
  }

  private static void put(ObjectNode json, Latency latency) {
    json.put("p50", latency.p50()).put("p99", latency.p99());
  }
}
