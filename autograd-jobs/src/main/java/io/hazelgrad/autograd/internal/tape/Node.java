package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node of the gradient graph. It takes the gradients of the outputs of a forward step, and
 * computes the gradients of the inputs of that step.
 *
 * <p>A backward pass reserves the nodes that it goes through: exclusively if it frees the graph, or
 * together with other passes that retain it.
 */
public abstract sealed class Node
    permits OperationNode, LeafNode, DeviceMoveNode, RecvNode, RootsNode {
  /** The reservations of this node, mostly none or one; attempts at one pass may share it. */
  private List<ReservedNodes> holders = List.of();

  /** Null as long as there are no hooks, as for nearly all nodes. */
  private volatile @Nullable GradientHooks hooks;

  /** Returns the number of gradients that this takes. */
  int slots() {
    return 1;
  }

  /** Returns the edges that the computed gradients take; null where none is needed. */
  List<@Nullable Edge> edges() {
    return List.of();
  }

  /** Computes the gradients for the edges; null where there is none. */
  List<@Nullable Tensor> backward(List<@Nullable Tensor> gradients) {
    return List.of();
  }

  /** Adds a hook to a gradient that this takes; running the result removes it. */
  synchronized Runnable hook(int slot, UnaryOperator<Tensor> change) {
    GradientHooks added = hooks;
    if (added == null) {
      added = new GradientHooks();
      hooks = added;
    }
    return added.add(slot, change);
  }

  /** Applies the hooks to a gradient that this takes. */
  @Nullable Tensor hooked(int slot, @Nullable Tensor gradient) {
    GradientHooks added = hooks;
    return added == null || gradient == null ? gradient : added.apply(slot, gradient);
  }

  /** Checks that the saved tensors were not freed. */
  void requireUsable() {}

  /** Frees the saved tensors, after a pass that does not retain the graph. */
  void free() {}

  /** Reserves this node for a pass; false if another pass has it. */
  synchronized boolean reserve(ReservedNodes holder) {
    for (ReservedNodes other : holders) {
      if (!other.pass().equals(holder.pass()) && (other.isExclusive() || holder.isExclusive())) {
        return false;
      }
    }
    List<ReservedNodes> more = new ArrayList<>(holders.size() + 1);
    more.addAll(holders);
    more.add(holder);
    holders = more;
    return true;
  }

  /** Ends the reservation of this holder; that of another attempt at its pass stays. */
  synchronized void release(ReservedNodes holder) {
    holders =
        holders.size() == 1 && holders.get(0) == holder
            ? List.of()
            : holders.stream().filter(each -> each != holder).toList();
  }
}
