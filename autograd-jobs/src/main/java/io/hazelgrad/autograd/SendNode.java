package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.plan.MessageId;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender's end of a message: gradients of the tensors that it carried arrive here. */
final class SendNode extends Node {
  private final MessageId message;
  private final List<@Nullable Edge> edges;

  SendNode(MessageId message, List<@Nullable Edge> edges) {
    this.message = message;
    this.edges = edges;
  }

  MessageId message() {
    return message;
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
    return "send " + message;
  }
}
