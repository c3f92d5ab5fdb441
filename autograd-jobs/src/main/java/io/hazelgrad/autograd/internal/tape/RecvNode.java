package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.plan.MessageId;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receiver's end of a message: the gradients of its tensors leave the worker here. */
public final class RecvNode extends Node {
  private final ContextId context;
  private final MessageId message;
  private final int tensors;

  public RecvNode(ContextId context, MessageId message, int tensors) {
    this.context = context;
    this.message = message;
    this.tensors = tensors;
  }

  ContextId context() {
    return context;
  }

  public MessageId message() {
    return message;
  }

  @Override
  public int slots() {
    return tensors;
  }

  @Override
  List<@Nullable Edge> edges() {
    return List.of();
  }

  @Override
  List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    return List.of();
  }

  @Override
  public String toString() {
    return "recv " + message + " of " + context;
  }
}
