package io.hazelgrad.cli.status;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.grid.metrics.MetricsSnapshot;
import io.hazelgrad.grid.metrics.ServedMetrics;
import io.hazelgrad.launcher.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of a cluster in the order of their ids, with the counters of each at one moment. */
public record GridStatus(String cluster, List<Line> workers, PassStatus passes) {
  private static final Logger LOG = LoggerFactory.getLogger(GridStatus.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String UNKNOWN = "?";
  private static final int TEXT_COLUMNS = 2;

  /** The columns of counters. Totals have those only that can be added up. */
  private enum Figure {
    OBJECTS("rref.num_owner_rrefs", true),
    BYTES("rref.owned_bytes", true),
    HANDLES("rref.num_forks", true),
    FORGOTTEN("rref.num_forgotten", true),
    ACTIVE("agent.server_active_calls", true),
    QUEUED("agent.server_queued_calls", true),
    /** No sum: several workers know the same context. */
    CONTEXTS("autograd.num_autograd_contexts", false),
    PASSES("autograd.num_current_backward_passes", false);

    final String figure;
    final boolean isSum;

    Figure(String figure, boolean isSum) {
      this.figure = figure;
      this.isSum = isSum;
    }

    String key() {
      return name().toLowerCase(Locale.ROOT);
    }

    @Nullable Long of(@Nullable MetricsSnapshot metrics) {
      Long value = metrics == null ? null : metrics.figures().get(figure);
      // The question itself is one of the active calls.
      return value == null || this != ACTIVE ? value : (Long) Math.max(0, value - 1);
    }
  }

  /** A worker, with its counters or null if it did not reply in time. */
  public record Line(Worker worker, String address, @Nullable MetricsSnapshot metrics) {
    private @Nullable Long served(ToLongFunction<ServedMetrics> count) {
      return metrics == null ? null : metrics.served().stream().mapToLong(count).sum();
    }

    private List<String> cells() {
      List<String> cells =
          new ArrayList<>(List.of(worker.name(), address, Long.toString(worker.id())));
      for (Figure figure : Figure.values()) {
        cells.add(text(figure.of(metrics)));
      }
      cells.add(text(served(ServedMetrics::calls)));
      cells.add(text(served(ServedMetrics::errors)));
      return cells;
    }

    private static String text(@Nullable Long value) {
      return value == null ? UNKNOWN : value.toString();
    }
  }

  /** Asks all workers at once. A worker that does not reply within the timeout has no counters. */
  public static GridStatus of(GridClient client, String cluster, Duration timeout) {
    Map<UUID, Member> members = new HashMap<>();
    client.hazelcast().getCluster().getMembers().forEach(it -> members.put(it.getUuid(), it));
    Rpc rpc = client.rpc().within(timeout);
    List<CompletableFuture<Line>> asked = new ArrayList<>();
    for (Worker worker : client.workers()) {
      Member member = members.get(worker.incarnation());
      if (member != null) { // The entry of a lost worker may still be there.
        asked.add(
            rpc.async(worker.name(), MetricsSnapshot::ofCallee)
                .handle((metrics, failure) -> line(worker, member, metrics, failure)));
      }
    }
    List<Line> lines = asked.stream().map(CompletableFuture::join).toList();
    return new GridStatus(cluster, lines, PassStatus.of(client));
  }

  private static Line line(
      Worker worker,
      Member member,
      @Nullable MetricsSnapshot metrics,
      @Nullable Throwable failure) {
    if (failure != null) {
      LOG.debug("worker {} does not send its counters", worker.name(), failure);
    }
    Address address =
        member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
    Endpoint endpoint = new Endpoint(address.getHost(), address.getPort());
    return new Line(worker, endpoint.toString(), metrics);
  }

  /** Returns the sum over the workers that replied. */
  private long total(Figure figure) {
    return workers.stream()
        .mapToLong(line -> Objects.requireNonNullElse(figure.of(line.metrics), 0L))
        .sum();
  }

  /**
   * Returns a table with a line for each worker and a line of totals. Below it is a line for each
   * backward pass that runs and for the last one that failed.
   */
  public String table() {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("WORKER", "ADDRESS", "ID"));
    List<String> totals = new ArrayList<>(List.of("(all)", workers.size() + " workers", ""));
    for (Figure figure : Figure.values()) {
      head.add(figure.name());
      totals.add(figure.isSum ? Long.toString(total(figure)) : "");
    }
    head.addAll(List.of("SERVED", "FAILED"));
    rows.add(head);
    workers.forEach(line -> rows.add(line.cells()));
    totals.addAll(List.of("", ""));
    rows.add(totals);
    return aligned(rows) + passes.text();
  }

  /** Returns rows as aligned columns: the first two to the left, numbers to the right. */
  private static String aligned(List<List<String>> rows) {
    StringBuilder format = new StringBuilder();
    for (int i = 0; i < rows.get(0).size(); i++) {
      int column = i;
      int width = rows.stream().mapToInt(row -> row.get(column).length()).max().orElseThrow();
      format.append(i < TEXT_COLUMNS ? "%-" : "%").append(width).append("s  ");
    }
    return rows.stream()
        .map(row -> String.format(format.toString(), row.toArray()).stripTrailing())
        .collect(Collectors.joining(System.lineSeparator(), "", System.lineSeparator()));
  }

  /** Returns the status as JSON. A worker that did not reply has no counters. */
  public ObjectNode json() {
    ObjectNode all = JSON.createObjectNode().put("cluster", cluster);
    for (Line line : workers) {
      ObjectNode worker = all.withArrayProperty("workers").addObject();
      worker.put("name", line.worker.name()).put("id", line.worker.id());
      worker.put("address", line.address);
      MetricsSnapshot metrics = line.metrics;
      if (metrics != null) {
        Stream.of(Figure.values()).forEach(each -> worker.put(each.key(), each.of(metrics)));
        worker.set("figures", JSON.valueToTree(metrics.figures()));
        worker.set("calls", JSON.valueToTree(metrics.calls()));
        worker.set("served", JSON.valueToTree(metrics.served()));
      }
    }
    ObjectNode totals = all.putObject("totals").put("workers", workers.size());
    for (Figure figure : Figure.values()) {
      if (figure.isSum) {
        totals.put(figure.key(), total(figure));
      }
    }
    all.set("passes", passes.json());
    return all;
  }
}
