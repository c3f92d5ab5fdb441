package io.hazelgrad.autograd.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The plan needs messages that are not known here. Their senders ({@link MessageId#worker()}) know
 * them: ask, add the answers to the graph, and step again.
 *
 * @param messages the missing messages, never empty
 */
public record Missing(Set<MessageId> messages) implements Step {
  /** Copies the set. */
  public Missing {
    messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
  }
}
