package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The start of a pass: passes each root its gradient. A send node does the same for a message. */
public sealed class RootsNode extends Node permits SendNode {
  private final List<@Nullable Edge> edges;

  RootsNode(List<@Nullable Edge> edges) {
    this.edges = edges;
  }

  @Override
  final int slots() {
    return edges.size();
  }

  @Override
  public final List<@Nullable Edge> edges() {
    return edges;
  }

  @Override
  final List<@Nullable Tensor> backward(List<@Nullable Tensor> gradients) {
    return gradients;
  }

  @Override
  public String toString() {
    return "roots";
  }
}
