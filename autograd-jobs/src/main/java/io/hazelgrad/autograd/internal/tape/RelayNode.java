package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node that passes each gradient on unchanged. */
abstract sealed class RelayNode extends Node permits RootsNode, SendNode {
  private final List<@Nullable Edge> edges;

  RelayNode(List<@Nullable Edge> edges) {
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
  final List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    return gradients;
  }
}
