package io.hazelgrad.autograd;

import java.util.List;

/**
 * The plan of a backward pass, made by {@link Context#plan}: the messages of the forward pass whose
 * gradients flow, and the wave of each. {@code toString()} returns a table with one line per
 * message. Implemented by Hazelgrad only.
 *
 * <p>Threads: immutable.
 */
public interface PassPlan {
  /** A message of the forward pass. Its gradients flow from its receiver to its sender. */
  interface Message {
    /** Returns the id of the worker that sent the message, and takes the gradients. */
    long sender();

    /** Returns the id of the worker that received the message, and computes the gradients. */
    long receiver();

    /** Returns the number of tensors that may get a gradient. */
    int tensors();

    /** Returns the wave in which the gradients flow, from 1. */
    int wave();
  }

  /** Returns the messages, by wave. */
  List<? extends Message> messages();

  /** Returns the number of waves; 0 if no message takes part. */
  int waves();

  /** Returns the ids of the workers that take part, the initiator first. */
  List<Long> participants();

  /** Returns the name of a worker by its id; the id as text if the name is not known. */
  String name(long worker);

  /** Returns the plan in Graphviz's DOT language: a box for each wave, arrows for messages. */
  String toDot();
}
