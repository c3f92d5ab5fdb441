package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.plan.MessageId;

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
  public String toString() {
    return "recv " + message + " of " + context;
  }
}
