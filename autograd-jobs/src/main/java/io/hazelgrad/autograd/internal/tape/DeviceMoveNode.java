package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Tensor;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The node of a move to another device: moves the gradient back. */
final class DeviceMoveNode extends Node {
  private final Edge edge;
  private final Device from;

  DeviceMoveNode(Edge edge, Device from) {
    this.edge = edge;
    this.from = from;
  }

  @Override
  List<@Nullable Edge> edges() {
    return Collections.singletonList(edge);
  }

  @Override
  List<@Nullable Tensor> backward(List<@Nullable Tensor> gradients) {
    Tensor gradient = gradients.get(0);
    return Collections.singletonList(gradient == null ? null : gradient.to(from));
  }

  @Override
  public String toString() {
    return "to " + from;
  }
}
