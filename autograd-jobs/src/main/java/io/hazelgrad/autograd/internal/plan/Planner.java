package io.hazelgrad.autograd.internal.plan;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans a backward pass: finds every message that the roots reach, and assigns each the wave that
 * is its longest path from the roots.
 *
 * <p>So all gradients that a recv node depends on have arrived before the wave of its message, and
 * the pass does not wait for messages that the roots do not use.
 */
public final class Planner {
  private final long initiator;
  private final MessageGraph graph;
  private final Map<MessageId, Node> nodes = new LinkedHashMap<>();
  private final Deque<Node> open = new ArrayDeque<>();
  private final Set<MessageId> missing = new LinkedHashSet<>();

  /** A message that takes part. */
  private static final class Node {
    final MessageDescriptor message;

    /** The number of edges from above that were not followed yet. */
    int above;

    int wave = 1;

    Node(MessageDescriptor message) {
      this.message = message;
    }
  }

  private Planner(long initiator, MessageGraph graph) {
    this.initiator = initiator;
    this.graph = graph;
  }

  /**
   * Plans as far as the graph is known. The order of the plan depends only on the order of the
   * roots and of each {@link MessageDescriptor#below()}: not on ids, nor on when a descriptor came.
   *
   * @param roots the messages received by the initiator that the roots reach, in the order of a
   *     traversal of the local graph
   * @throws GridException PASS_FAILED if the descriptors contradict each other
   */
  public static PlanningStep step(long initiator, List<MessageId> roots, MessageGraph graph) {
    return new Planner(initiator, graph).step(roots);
  }

  private PlanningStep step(List<MessageId> roots) {
    for (MessageId root : roots) {
      reach(root, initiator);
    }
    for (Node next = open.poll(); next != null; next = open.poll()) {
      for (MessageId below : next.message.below()) {
        Node node = reach(below, next.message.sender());
        if (node != null) {
          node.above++;
        }
      }
    }
    if (!missing.isEmpty()) {
      return new PlanningStep.Missing(missing);
    }
    assignWaves();
    List<Node> ordered = new ArrayList<>(nodes.values());
    ordered.sort(Comparator.comparingInt(node -> node.wave)); // stable: discovery order in a wave
    List<Plan.Entry> entries = new ArrayList<>(ordered.size());
    for (Node node : ordered) {
      entries.add(new Plan.Entry(node.message, node.wave, entries.size()));
    }
    return new Plan(initiator, entries, Map.of());
  }

  private @Nullable Node reach(MessageId id, long worker) {
    Node node = nodes.get(id);
    if (node == null) {
      MessageDescriptor message = graph.get(id);
      if (message == null) {
        missing.add(id);
        return null;
      }
      if (message.receiver() != worker) {
        throw new GridException(
            Status.PASS_FAILED,
            "message %s went to worker %s, but worker %s says that it received it"
                .formatted(id, message.receiver(), worker));
      }
      node = new Node(message);
      nodes.put(id, node);
      open.add(node);
    }
    return node;
  }

  private void assignWaves() {
    nodes.values().stream().filter(node -> node.above == 0).forEach(open::add);
    int left = nodes.size();
    for (Node next = open.poll(); next != null; next = open.poll()) {
      left--;
      for (MessageId id : next.message.below()) {
        Node below = Objects.requireNonNull(nodes.get(id));
        below.wave = Math.max(below.wave, next.wave + 1);
        if (--below.above == 0) {
          open.add(below);
        }
      }
    }
    if (left > 0) {
      throw new GridException(
          Status.PASS_FAILED, left + " messages lie below themselves; no forward pass does that");
    }
  }
}
