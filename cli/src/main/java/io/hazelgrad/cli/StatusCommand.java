package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.rref.RRefTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the workers of a grid, and what they own and hold. */
@Command(
    name = "status",
    description = "Show the workers of a grid.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(StatusCommand.class);
  private static final int CONNECT_MILLIS = 5_000;

  /** How many workers are asked until one answers, and how long each may take. */
  private static final int MOST_ASKED = 3;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Option(
      names = "--join",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:5701",
      converter = Endpoint.Converter.class,
      description = "A worker's client endpoint (default: ${DEFAULT-VALUE}).")
  private Endpoint endpoint;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "hazelgrad",
      description = "The cluster's name (default: ${DEFAULT-VALUE}).")
  private String cluster;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  StatusCommand() {}

  /** A worker, and what it owns and holds if it says so. */
  private record Line(Worker worker, String address, @Nullable RRefTotals rrefs) {}

  @Override
  public Integer call() {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.client.shuffle.member.list", "false");
    config.getNetworkConfig().addAddress(endpoint.toString());
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(CONNECT_MILLIS);
    try (GridClient client = connect(config)) {
      print(lines(client));
    }
    return Main.OK;
  }

  private GridClient connect(ClientConfig config) {
    try {
      return GridClient.connect(config);
    } catch (GridException e) {
      throw new FailedException("no member of cluster " + cluster + " answers at " + endpoint, e);
    }
  }

  private static List<Line> lines(GridClient client) {
    Map<UUID, Member> members = new HashMap<>();
    client.hazelcast().getCluster().getMembers().forEach(it -> members.put(it.getUuid(), it));
    List<Worker> workers = client.workers();
    Map<String, RRefTotals> totals = totals(client, workers);
    List<Line> lines = new ArrayList<>();
    for (Worker worker : workers) {
      Member member = members.get(worker.incarnation());
      if (member != null) { // The entry of a dead worker may still be there.
        lines.add(new Line(worker, address(member), totals.get(worker.name())));
      }
    }
    return lines;
  }

  private static String address(Member member) {
    Address address =
        member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
    return new Endpoint(address.getHost(), address.getPort()).toString();
  }

  /** Asks the first worker that answers what all of them own and hold. */
  private static Map<String, RRefTotals> totals(GridClient client, List<Worker> workers) {
    Map<String, RRefTotals> totals = new HashMap<>();
    for (Worker worker : workers.subList(0, Math.min(workers.size(), MOST_ASKED))) {
      try {
        client
            .rpc()
            .within(PATIENCE)
            .sync(worker.name(), RRefTotals::ofAllWorkers)
            .forEach(each -> totals.put(each.worker(), each));
        return totals;
      } catch (GridException e) {
        LOG.debug("worker {} does not say what is owned and held", worker.name(), e);
      }
    }
    return totals;
  }

  private void print(List<Line> lines) {
    if (json) {
      printJson(lines);
      return;
    }
    System.out.printf(
        "%-24s %6s  %-21s %9s %14s %9s %9s%n",
        "WORKER", "ID", "ADDRESS", "OBJECTS", "BYTES", "HANDLES", "FORGOTTEN");
    for (Line line : lines) {
      RRefTotals rrefs = line.rrefs;
      System.out.printf(
          "%-24s %6d  %-21s %9s %14s %9s %9s%n",
          line.worker.name(),
          line.worker.id(),
          line.address,
          rrefs == null ? "?" : rrefs.objects(),
          rrefs == null ? "?" : rrefs.bytes(),
          rrefs == null ? "?" : rrefs.handles(),
          rrefs == null ? "?" : rrefs.forgotten());
    }
  }

  private void printJson(List<Line> lines) {
    ObjectNode all = new ObjectMapper().createObjectNode();
    all.put("cluster", cluster);
    ArrayNode workers = all.putArray("workers");
    for (Line line : lines) {
      ObjectNode worker = workers.addObject();
      worker.put("name", line.worker.name()).put("id", line.worker.id());
      worker.put("address", line.address);
      RRefTotals rrefs = line.rrefs;
      if (rrefs != null) {
        worker.put("objects", rrefs.objects()).put("bytes", rrefs.bytes());
        worker.put("handles", rrefs.handles()).put("forgotten", rrefs.forgotten());
      }
    }
    System.out.println(all);
  }
}
