package io.hazelgrad.autograd.internal.jet;

import com.hazelcast.cluster.Address;
import com.hazelcast.jet.config.EdgeConfig;
import com.hazelcast.jet.core.DAG;
import com.hazelcast.jet.core.Edge;
import com.hazelcast.jet.core.Vertex;
import io.hazelgrad.autograd.internal.pass.PassId;
import io.hazelgrad.autograd.internal.pass.PassSpec;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.autograd.internal.plan.PlanPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Builds the Jet DAG of one attempt. */
final class PassDag {
  /*
   * There is a vertex for each member that takes gradients in a wave, and an edge for each pair of
   * members of which one emits and the other takes in a wave. One vertex per wave, with an edge to
   * each member, does not work: Jet counts a vertex's inbound edges per member and indexes them by
   * ordinal (ProcessorTasklet.fillInbox), so it fails on a member that has ordinal 1 only. In this
   * form a vertex also waits only for the members that send to it.
   *
   * "roots" is wave 0. It has no input, so Jet creates it on every member; it brings the tasks. Only
   * the initiator's vertex emits.
   *
   * Why no vertex is missing: a member that emits in wave w + 1 took gradients in wave w (see Plan),
   * so its vertex exists. Jet runs the job only on members that an edge leads to: every participant
   * takes gradients in some wave, except the initiator, which gets an edge in any case.
   */
  private static final String ANY_KEY = "k"; // Each edge leads to one processor, so any key does.

  private final Plan plan;
  private final Map<Long, UUID> hosts;

  /** The members at the ends of a vertex's edges; the place in the list is the ordinal. */
  private final Map<Node, List<UUID>> targets = new HashMap<>();

  private final Map<Node, List<UUID>> sources = new LinkedHashMap<>();

  /** A member's vertex of a wave. */
  private record Node(int wave, UUID member) {}

  PassDag(Plan plan, Map<Long, UUID> hosts) {
    this.plan = plan;
    this.hosts = hosts;
    connect(1, host(plan.initiator()), host(plan.initiator()));
    for (Plan.Entry each : plan.messages()) {
      connect(each.wave(), host(each.message().receiver()), host(each.message().sender()));
    }
  }

  private void connect(int wave, UUID from, UUID to) {
    List<UUID> out = targets.computeIfAbsent(new Node(wave - 1, from), any -> new ArrayList<>());
    if (!out.contains(to)) {
      out.add(to);
      sources.computeIfAbsent(new Node(wave, to), any -> new ArrayList<>()).add(from);
    }
  }

  private UUID host(long worker) {
    UUID host = hosts.get(worker);
    if (host == null) {
      throw new IllegalArgumentException("no member for worker " + worker);
    }
    return host;
  }

  /** Returns the members that take part. */
  Set<UUID> members() {
    Set<UUID> members = new LinkedHashSet<>();
    plan.participants().forEach(worker -> members.add(host(worker)));
    return members;
  }

  /** Builds the DAG. */
  DAG build(
      PassId pass,
      Function<UUID, Address> addresses,
      Function<Map<Long, PlanPart>, PassSpec> specs) {
    DAG dag = new DAG();
    Map<Node, Vertex> vertices = new HashMap<>();
    vertices.put(
        new Node(0, host(plan.initiator())),
        dag.newVertex("roots", new PassMetaSupplier(pass, 0, tasks(addresses, specs)))
            .localParallelism(1));
    sources.forEach( // By wave, so that the origin of an edge exists before it.
        (node, from) -> {
          Address address = addresses.apply(node.member);
          String name = "wave-" + node.wave + "@" + workers(node.member);
          Vertex vertex =
              dag.newVertex(name, new PassMetaSupplier(pass, node.wave, Map.of()))
                  .localParallelism(1);
          vertices.put(node, vertex);
          for (int i = 0; i < from.size(); i++) {
            Node origin = new Node(node.wave - 1, from.get(i));
            dag.edge(
                Edge.from(Objects.requireNonNull(vertices.get(origin)), ordinal(origin, node))
                    .to(vertex, i)
                    .distributeTo(address) // Jet allows it for partitioned edges only.
                    .allToOne(ANY_KEY)
                    .setConfig(new EdgeConfig().setQueueSize(16)));
          }
        });
    return dag;
  }

  /** Returns the names of the workers that a member acts for. */
  private String workers(UUID member) {
    return plan.participants().stream()
        .filter(worker -> host(worker).equals(member))
        .map(plan::name)
        .collect(Collectors.joining("+"));
  }

  private int ordinal(Node from, Node to) {
    return Objects.requireNonNull(targets.get(from)).indexOf(to.member);
  }

  private Map<String, byte[]> tasks(
      Function<UUID, Address> addresses, Function<Map<Long, PlanPart>, PassSpec> specs) {
    Map<UUID, List<Long>> workers = new LinkedHashMap<>();
    for (Long each : plan.participants()) {
      workers.computeIfAbsent(host(each), any -> new ArrayList<>()).add(each);
    }
    Map<String, byte[]> tasks = new HashMap<>();
    workers.forEach(
        (member, hosted) -> {
          Map<Long, PlanPart> parts = new LinkedHashMap<>();
          hosted.forEach(worker -> parts.put(worker, plan.part(worker)));
          List<Integer> edges = new ArrayList<>();
          for (PlanPart.Recv each : PlanPart.of(parts.values()).recvs()) {
            edges.add(
                ordinal(
                    new Node(each.wave() - 1, member),
                    new Node(each.wave(), host(each.id().worker()))));
          }
          PassTask task = new PassTask(member, specs.apply(parts), edges);
          tasks.put(addresses.apply(member).toString(), task.toBytes());
        });
    return tasks;
  }
}
