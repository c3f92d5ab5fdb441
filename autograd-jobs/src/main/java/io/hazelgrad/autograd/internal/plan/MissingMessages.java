package io.hazelgrad.autograd.internal.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The messages that the plan needs and this worker does not know, never empty. Ask their senders,
 * add the answers to the graph, and step again.
 */
public record MissingMessages(Set<MessageId> messages) implements PlanningStep {
  public MissingMessages {
    messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
  }
}
