package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.plan.MessageId;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sender's end of a message: gradients of the tensors that it carried arrive here. */
final class SendNode extends RelayNode {
  private final MessageId message;
  private final List<TensorType> types;

  SendNode(MessageId message, List<@Nullable Edge> edges, List<TensorType> types) {
    super(edges);
    this.message = message;
    this.types = types;
  }

  MessageId message() {
    return message;
  }

  /**
   * Checks gradients that another worker made.
   *
   * @throws GridException PASS_FAILED if they do not fit what was sent
   */
  void check(List<@Nullable Tensor> gradients) {
    if (gradients.size() != types.size()) {
      throw new GridException(
          Status.PASS_FAILED,
          this + " takes " + types.size() + " gradients, got " + gradients.size());
    }
    for (int i = 0; i < types.size(); i++) {
      Tensor gradient = gradients.get(i);
      if (gradient != null && !TensorType.of(gradient).equals(types.get(i))) {
        throw new GridException(
            Status.PASS_FAILED,
            "gradient "
                + i
                + " of "
                + this
                + " must be "
                + types.get(i)
                + " as the tensor that"
                + " was sent, got "
                + TensorType.of(gradient));
      }
    }
  }

  @Override
  public String toString() {
    return "send " + message;
  }
}
