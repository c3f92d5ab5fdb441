package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ContextId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Walks over the local gradient graph, without recursion. Only the edges decide the order. */
public final class GraphWalk {
  /** The most start nodes of a walk for which results are kept. */
  private static final int MAX_KEPT = 8;

  private GraphWalk() {}

  /**
   * Returns the recv nodes of a context that the edges reach, in the order of the walk.
   */
  public static List<RecvNode> received(
      Collection<? extends @Nullable Edge> edges, ContextId context) {
    return walk(edges, context, Map.of());
  }

  /**
   * As above, and keeps the result for the node of each edge. Kept results do not change the order:
   * the recv nodes that a node reaches follow each other in either case.
   *
   * @param known the results for nodes below; new results are added
   */
  public static List<RecvNode> received(
      Collection<? extends @Nullable Edge> edges,
      ContextId context,
      Map<Node, List<RecvNode>> known) {
    Set<Node> starts = new LinkedHashSet<>();
    for (Edge edge : edges) {
      if (edge != null && !edge.node().edges().isEmpty()) {
        starts.add(edge.node());
      }
    }
    if (starts.size() <= MAX_KEPT) { // Each costs a walk of its own.
      for (Node start : starts) {
        if (!known.containsKey(start)) {
          known.put(start, List.copyOf(walk(start.edges(), context, known)));
        }
      }
    }
    return walk(edges, context, known);
  }

  private static List<RecvNode> walk(
      Collection<? extends @Nullable Edge> edges,
      ContextId context,
      Map<Node, List<RecvNode>> known) {
    Set<Node> seen = new HashSet<>();
    Set<RecvNode> found = new LinkedHashSet<>();
    Deque<Node> open = new ArrayDeque<>();
    addFirst(edges, open);
    for (Node node = open.pollFirst(); node != null; node = open.pollFirst()) {
      if (!seen.add(node)) {
        continue;
      }
      List<RecvNode> below = known.get(node);
      if (below != null) {
        found.addAll(below);
        continue;
      }
      if (node instanceof RecvNode recv && recv.context().equals(context)) {
        found.add(recv);
      }
      addFirst(node.edges(), open);
    }
    return List.copyOf(found);
  }

  private static void addFirst(Collection<? extends @Nullable Edge> edges, Deque<Node> open) {
    List<Node> targets = new ArrayList<>(edges.size());
    for (Edge edge : edges) {
      if (edge != null) {
        targets.add(edge.node());
      }
    }
    Collections.reverse(targets);
    targets.forEach(open::addFirst);
  }

  /** Returns all nodes that the starts reach, each before those that its edges lead to. */
  static List<Node> topological(List<? extends Node> starts) {
    Set<Node> finished = new LinkedHashSet<>();
    Set<Node> entered = new HashSet<>();
    Deque<Visit> path = new ArrayDeque<>();
    for (int i = starts.size() - 1; i >= 0; i--) {
      enter(starts.get(i), entered, path);
      while (!path.isEmpty()) {
        Visit visit = path.peekLast();
        if (visit.rest.hasNext()) {
          Edge edge = visit.rest.next();
          if (edge != null) {
            enter(edge.node(), entered, path);
          }
        } else {
          finished.add(visit.node);
          path.removeLast();
        }
      }
    }
    List<Node> order = new ArrayList<>(finished);
    Collections.reverse(order);
    return order;
  }

  private static void enter(Node node, Set<Node> entered, Deque<Visit> path) {
    if (entered.add(node)) {
      path.addLast(new Visit(node, node.edges().iterator()));
    }
  }

  private record Visit(Node node, Iterator<@Nullable Edge> rest) {}
}
