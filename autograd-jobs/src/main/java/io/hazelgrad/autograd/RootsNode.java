package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The start of a pass: hands each root its gradient. */
final class RootsNode extends Node {
  private final List<@Nullable Edge> edges;

  RootsNode(List<@Nullable Edge> edges) {
    this.edges = edges;
  }

  @Override
  int slots() {
    return edges.size();
  }

  @Override
  List<@Nullable Edge> edges() {
    return edges;
  }

  @Override
  List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    return gradients;
  }

  @Override
  public String toString() {
    return "roots";
  }
}
