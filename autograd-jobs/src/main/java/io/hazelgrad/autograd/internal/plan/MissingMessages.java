package io.hazelgrad.autograd.internal.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The plan needs messages that are not known here. Their senders ({@link MessageId#worker()}) know
 * them: ask, add the answers to the graph, and step again.
 *
 * @param messages the missing messages, never empty
 */
public record MissingMessages(Set<MessageId> messages) implements PlanningStep {
  /** Copies the set. */
  public MissingMessages {
    messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
  }
}
