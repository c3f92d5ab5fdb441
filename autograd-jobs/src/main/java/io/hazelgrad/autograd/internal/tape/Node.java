package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A step of the gradient graph: takes the gradients of what a step of the forward run gave, and
 * makes those of what it took.
 *
 * <p>A backward pass takes the nodes that it goes through: alone, if it uses them up, or together
 * with others that retain the graph.
 */
public abstract sealed class Node
    permits OperationNode, LeafNode, DeviceMoveNode, RecvNode, RelayNode {
  /** Who has this node; attempts at one pass may have it side by side. Mostly none or one. */
  private List<ReservedNodes> holders = List.of();

  /** Null as long as there are none, as for nearly all nodes. */
  private volatile @Nullable GradientHooks hooks;

  /** Returns how many gradients this takes. */
  abstract int slots();

  /** Returns where the gradients go that this makes; null where none is wanted. */
  abstract List<@Nullable Edge> edges();

  /** Makes the gradients for the edges; null where there is none. */
  abstract List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients);

  /** Adds a hook to a gradient that this takes; running the result removes it. */
  public synchronized Runnable hook(int slot, UnaryOperator<Tensor> change) {
    GradientHooks added = hooks;
    if (added == null) {
      added = new GradientHooks();
      hooks = added;
    }
    return added.add(slot, change);
  }

  /** Returns a gradient that this takes as the hooks leave it. */
  @Nullable Tensor hooked(int slot, @Nullable Tensor gradient) {
    GradientHooks added = hooks;
    return added == null || gradient == null ? gradient : added.apply(slot, gradient);
  }

  /** Checks that a pass can go through. */
  void requireUsable() {}

  /** Frees what a pass that does not retain the graph has used up. */
  void free() {}

  /** Takes this node for a pass; false if another one has it. */
  synchronized boolean take(ReservedNodes taker) {
    for (ReservedNodes holder : holders) {
      if (!holder.pass().equals(taker.pass()) && (holder.alone() || taker.alone())) {
        return false;
      }
    }
    List<ReservedNodes> more = new ArrayList<>(holders.size() + 1);
    more.addAll(holders);
    more.add(taker);
    holders = more;
    return true;
  }

  /** Gives back what this holder has; what another attempt at its pass has stays taken. */
  synchronized void giveBack(ReservedNodes holder) {
    if (holders.size() == 1 && holders.get(0) == holder) {
      holders = List.of();
      return;
    }
    holders = holders.stream().filter(each -> each != holder).toList();
  }
}
