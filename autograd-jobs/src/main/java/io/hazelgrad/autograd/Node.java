package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A step of the gradient graph: takes the gradients of what a step of the forward run gave, and
 * makes those of what it took.
 *
 * <p>A backward pass takes the nodes that it goes through: alone, if it uses them up, or together
 * with others that retain the graph.
 */
abstract sealed class Node permits OperationNode, LeafNode, SendNode, RecvNode, RootsNode {
  private @Nullable PassKey takenAlone;
  private final Set<PassKey> takenTogether = new HashSet<>(2);

  /** Returns how many gradients this takes. */
  abstract int slots();

  /** Returns where the gradients go that this makes; null where none is wanted. */
  abstract List<@Nullable Edge> edges();

  /** Makes the gradients for the edges; null where there is none. */
  abstract List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients);

  /** Checks that a pass can go through. */
  void requireUsable() {}

  /** Frees what a pass that does not retain the graph has used up. */
  void free() {}

  /** Takes this node for a pass; false if another one has it. */
  synchronized boolean take(PassKey pass, boolean alone) {
    if (takenAlone != null && !takenAlone.equals(pass)) {
      return false;
    }
    boolean others = takenTogether.stream().anyMatch(other -> !other.equals(pass));
    if (alone) {
      if (others) {
        return false;
      }
      takenAlone = pass;
    } else {
      takenTogether.add(pass);
    }
    return true;
  }

  synchronized void giveBack(PassKey pass) {
    if (pass.equals(takenAlone)) {
      takenAlone = null;
    }
    takenTogether.remove(pass);
  }
}
