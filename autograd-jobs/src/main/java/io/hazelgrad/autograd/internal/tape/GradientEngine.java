package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the gradient graph of one worker for one attempt at a pass.
 *
 * <p>The graph is fixed at the start: it is all nodes that the start nodes reach. Each node counts
 * the edges that lead to it; a start node counts its own delivery too. A node runs when its count
 * is zero, even if no gradient arrived. So every node runs exactly once per pass, and a recv node
 * is complete at a known point, however many waves its gradients take.
 *
 * <p>Contributions to one gradient are summed in the topological order of the nodes that computed
 * them. That order depends only on the order of the starts and on the edges, so the bits of the
 * result do not depend on timing. Threads: guarded by the caller.
 */
public final class GradientEngine {
  private final Map<Node, Work> work = new HashMap<>();
  private final PriorityQueue<Work> ready =
      new PriorityQueue<>(Comparator.comparingInt(task -> task.place));
  private final Map<LeafNode, Tensor> leaves = new LinkedHashMap<>();
  private final Map<RecvNode, List<@Nullable Tensor>> received = new HashMap<>();

  private static final class Work {
    final Node node;
    final int place;
    int waitsFor;

    /** For each slot, the contributions, sorted by the place of their node and its edge. */
    final List<SortedMap<Long, Tensor>> contributions = new ArrayList<>();

    Work(Node node, int place) {
      this.node = node;
      this.place = place;
      for (int i = 0; i < node.slots(); i++) {
        contributions.add(new TreeMap<>());
      }
    }
  }

  /** Prepares a run in which gradients will be delivered to {@code starts}, in plan order. */
  public GradientEngine(List<? extends Node> starts) {
    for (Node node : GraphWalk.topological(starts)) {
      node.requireUsable();
      work.put(node, new Work(node, work.size()));
    }
    for (Work task : work.values()) {
      for (Edge edge : task.node.edges()) {
        if (edge != null) {
          workOf(edge.node()).waitsFor++;
        }
      }
    }
    starts.forEach(start -> workOf(start).waitsFor++);
  }

  private Work workOf(Node node) {
    Work task = work.get(node);
    if (task == null) {
      throw new GridException(Status.PASS_FAILED, node + " does not take part in the pass");
    }
    return task;
  }

  public Iterable<Node> nodes() {
    return Collections.unmodifiableSet(work.keySet());
  }

  /** Delivers the gradients of a start node, once. */
  public void deliver(Node start, List<@Nullable Tensor> gradients) {
    Work task = workOf(start);
    if (gradients.size() != start.slots()) {
      throw new GridException(
          Status.PASS_FAILED,
          start + " takes " + start.slots() + " gradients, got " + gradients.size());
    }
    for (int slot = 0; slot < gradients.size(); slot++) {
      Tensor gradient = gradients.get(slot);
      if (gradient != null) {
        task.contributions.get(slot).put(-1L, gradient);
      }
    }
    arrived(task, start + " was delivered twice");
  }

  private void arrived(Work task, String tooMany) {
    if (--task.waitsFor == 0) {
      ready.add(task);
    } else if (task.waitsFor < 0) {
      throw new GridException(Status.PASS_FAILED, tooMany);
    }
  }

  /** Runs all nodes that are ready, until none is left or {@code stopped} returns true. */
  public void run(BooleanSupplier stopped) {
    while (!stopped.getAsBoolean()) {
      Work task = ready.poll();
      if (task == null) {
        return;
      }
      List<@Nullable Tensor> gradients = new ArrayList<>(task.contributions.size());
      for (SortedMap<Long, Tensor> each : task.contributions) {
        gradients.add(sum(each));
        each.clear();
      }
      finish(task, guarded(task.node, () -> hooked(task.node, gradients)));
    }
  }

  private static @Nullable Tensor sum(SortedMap<Long, Tensor> contributions) {
    Tensor sum = null;
    for (Tensor each : contributions.values()) {
      sum = add(sum, each);
    }
    return sum;
  }

  /** Returns the sum, on the device of the added gradient: a leaf may have moved since. */
  public static Tensor add(@Nullable Tensor sum, Tensor more) {
    if (sum == null) {
      return more;
    }
    Device device = more.device();
    Backend backend = Catalogue.backend(device);
    return backend.binary(Backend.Binary.ADD, sum.to(device), more).to(device);
  }

  private void finish(Work task, List<@Nullable Tensor> gradients) {
    Node node = task.node;
    if (node instanceof LeafNode leaf) {
      Tensor gradient = gradients.get(0);
      if (gradient != null) {
        leaves.put(leaf, gradient);
      }
    } else if (node instanceof RecvNode recv) {
      received.put(recv, gradients);
    }
    List<@Nullable Tensor> computed = guarded(node, () -> node.backward(gradients));
    List<@Nullable Edge> edges = node.edges();
    for (int i = 0; i < edges.size(); i++) {
      Edge edge = edges.get(i);
      if (edge == null) {
        continue;
      }
      Work target = workOf(edge.node());
      Tensor gradient = computed.get(i);
      if (gradient != null) {
        target.contributions.get(edge.slot()).put(((long) task.place << 32) + i, gradient);
      }
      arrived(target, edge.node() + " got more gradients than edges lead to it");
    }
  }

  private static List<@Nullable Tensor> hooked(Node node, List<@Nullable Tensor> gradients) {
    for (int slot = 0; slot < gradients.size(); slot++) {
      gradients.set(slot, node.hooked(slot, gradients.get(slot)));
    }
    return gradients;
  }

  private static <T> T guarded(Node node, Supplier<T> work) {
    try {
      return work.get();
    } catch (GridException e) {
      throw failed(e.status(), node, String.valueOf(e.getMessage()), e);
    } catch (RuntimeException e) {
      throw failed(Status.PASS_FAILED, node, e.toString(), e);
    }
  }

  private static GridException failed(Status status, Node node, String why, Throwable cause) {
    return new GridException(status, "the gradient of " + node + " failed: " + why, cause);
  }

  /** Returns the gradients of the leaves reached so far. */
  public Map<LeafNode, Tensor> leaves() {
    return leaves;
  }

  /** Returns the gradients at a recv node, or null if they are not complete. */
  public @Nullable List<@Nullable Tensor> received(RecvNode node) {
    return received.get(node);
  }

  /** Returns the nodes that still wait for gradients, with their counts. */
  public List<String> unfinished() {
    return work.values().stream()
        .filter(task -> task.waitsFor > 0)
        .sorted(Comparator.comparingInt(task -> task.place))
        .map(task -> task.node + " waits for " + task.waitsFor)
        .toList();
  }
}
