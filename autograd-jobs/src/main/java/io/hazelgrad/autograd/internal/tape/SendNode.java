package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender's end of a message: the gradients of its tensors arrive here. */
public final class SendNode extends RootsNode {
  private final MessageId message;
  private final List<TypeAndDevice> tensors;

  public SendNode(MessageId message, List<@Nullable Edge> edges, List<TypeAndDevice> tensors) {
    super(edges);
    this.message = message;
    this.tensors = tensors;
  }

  /** Checks gradients that another worker computed, and moves each to the device of its tensor. */
  public List<@Nullable Tensor> accept(List<@Nullable Tensor> gradients) {
    if (gradients.size() != tensors.size()) {
      throw new GridException(
          Status.PASS_FAILED,
          this + " takes " + tensors.size() + " gradients, got " + gradients.size());
    }
    List<@Nullable Tensor> taken = new ArrayList<>(gradients.size());
    for (int i = 0; i < tensors.size(); i++) {
      Tensor gradient = gradients.get(i);
      taken.add(gradient == null ? null : accept(i, gradient));
    }
    return taken;
  }

  private Tensor accept(int i, Tensor gradient) {
    TypeAndDevice sent = tensors.get(i);
    if (!TensorType.of(gradient).equals(sent.type())) {
      throw new GridException(
          Status.PASS_FAILED,
          "gradient %s of %s must be %s as the tensor that was sent, got %s"
              .formatted(i, this, sent.type(), TensorType.of(gradient)));
    }
    return gradient.to(sent.device());
  }

  @Override
  public String toString() {
    return "send " + message;
  }
}
