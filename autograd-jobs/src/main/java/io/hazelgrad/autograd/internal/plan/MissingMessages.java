package io.hazelgrad.autograd.internal.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The messages that the plan needs and this worker does not know. Ask their senders ({@link
 * MessageId#worker()}), add the answers to the graph, and step again.
 *
 * @param messages the missing messages, never empty
 */
public record MissingMessages(Set<MessageId> messages) implements PlanningStep {
  /** Copies the set. */
  public MissingMessages {
    messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
  }
}
