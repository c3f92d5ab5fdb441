package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a path: a variable that was made, not computed. */
final class LeafNode extends Node {
  private final Variable variable;

  LeafNode(Variable variable) {
    this.variable = variable;
  }

  Variable variable() {
    return variable;
  }

  @Override
  int slots() {
    return 1;
  }

  @Override
  List<@Nullable Edge> edges() {
    return List.of();
  }

  @Override
  List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    return List.of();
  }

  /** Any number of passes may end at a leaf. */
  @Override
  boolean take(Taken taker) {
    return true;
  }

  @Override
  void giveBack(Taken holder) {}

  @Override
  public String toString() {
    return "leaf";
  }
}
