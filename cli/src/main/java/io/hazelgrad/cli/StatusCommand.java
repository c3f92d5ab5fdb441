package io.hazelgrad.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.nio.serialization.genericrecord.GenericRecord;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the workers of a grid, as any Hazelcast client sees them. */
@Command(
    name = "status",
    description = "Show the workers of a grid.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  private static final String WORKERS = "hazelgrad.workers";
  private static final int CONNECT_MILLIS = 5_000;

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

  private record Line(long id, String name, String address) {}

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
    HazelcastInstance client = connect(config);
    try {
      print(lines(client));
    } finally {
      client.shutdown();
    }
    return Main.OK;
  }

  private HazelcastInstance connect(ClientConfig config) {
    try {
      return HazelcastClient.newHazelcastClient(config);
    } catch (IllegalStateException e) {
      throw new FailedException("no member of cluster " + cluster + " answers at " + endpoint, e);
    }
  }

  private static List<Line> lines(HazelcastInstance client) {
    Map<String, Member> members = new HashMap<>();
    for (Member member : client.getCluster().getMembers()) {
      members.put(member.getUuid().toString(), member);
    }
    return client.<String, GenericRecord>getMap(WORKERS).values().stream()
        // The entry of a dead worker may still be there.
        .filter(worker -> members.containsKey(worker.getString("incarnation")))
        .map(worker -> line(worker, members))
        .sorted(Comparator.comparingLong(Line::id))
        .toList();
  }

  private static Line line(GenericRecord worker, Map<String, Member> members) {
    Member member = Objects.requireNonNull(members.get(worker.getString("incarnation")));
    Address address =
        member.getAddressMap().getOrDefault(EndpointQualifier.MEMBER, member.getAddress());
    return new Line(
        worker.getInt64("id"),
        Objects.requireNonNull(worker.getString("name")),
        new Endpoint(address.getHost(), address.getPort()).toString());
  }

  private void print(List<Line> lines) {
    if (json) {
      ObjectNode all = new ObjectMapper().createObjectNode();
      all.put("cluster", cluster);
      ArrayNode workers = all.putArray("workers");
      for (Line line : lines) {
        workers.addObject().put("name", line.name).put("id", line.id).put("address", line.address);
      }
      System.out.println(all);
      return;
    }
    System.out.printf("%-24s %6s  %s%n", "WORKER", "ID", "ADDRESS");
    for (Line line : lines) {
      System.out.printf("%-24s %6d  %s%n", line.name, line.id, line.address);
    }
  }
}
