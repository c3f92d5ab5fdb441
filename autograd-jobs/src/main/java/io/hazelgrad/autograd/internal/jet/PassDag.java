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

  /** The parts of the workers that each member acts for. */
  private final Map<UUID, Map<Long, PlanPart>> parts;

  /** The members at the ends of a vertex's edges; the place in the list is the ordinal. */
  private final Map<Node, List<UUID>> targets = new HashMap<>();

  private final Map<Node, List<UUID>> sources = new LinkedHashMap<>();

  /** A member's vertex of a wave. */
  private record Node(int wave, UUID member) {}

  PassDag(Plan plan, Map<Long, UUID> hosts) {
    this.plan = plan;
    this.hosts = hosts;
    this.parts = plan.parts(hosts);
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
    return Objects.requireNonNull(hosts.get(worker));
  }

  Set<UUID> members() {
    return parts.keySet();
  }

  DAG build(PassSpec spec, Function<UUID, Address> addresses) {
    PassId pass = spec.pass();
    DAG dag = new DAG();
    Map<Node, Vertex> vertices = new HashMap<>();
    vertices.put(
        new Node(0, host(plan.initiator())),
        dag.newVertex("roots", new PassMetaSupplier(pass, 0, tasks(spec, addresses)))
            .localParallelism(1));
    sources.forEach( // By wave, so that the origin of an edge exists before it.
        (node, from) -> {
          Address address = addresses.apply(node.member);
          String workers =
              parts.getOrDefault(node.member, Map.of()).keySet().stream()
                  .map(plan::name)
                  .collect(Collectors.joining("+"));
          Vertex vertex =
              dag.newVertex(
                      "wave-" + node.wave + "@" + workers,
                      new PassMetaSupplier(pass, node.wave, Map.of()))
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

  private int ordinal(Node from, Node to) {
    return Objects.requireNonNull(targets.get(from)).indexOf(to.member);
  }

  private Map<String, byte[]> tasks(PassSpec spec, Function<UUID, Address> addresses) {
    Map<String, byte[]> tasks = new HashMap<>();
    parts.forEach(
        (member, hosted) -> {
          PassSpec own = spec.with(hosted);
          List<Integer> edges = new ArrayList<>();
          for (PlanPart.Recv each : own.part().recvs()) {
            edges.add(
                ordinal(
                    new Node(each.wave() - 1, member),
                    new Node(each.wave(), host(each.id().worker()))));
          }
          tasks.put(addresses.apply(member).toString(), new PassTask(member, own, edges).toBytes());
        });
    return tasks;
  }
}
