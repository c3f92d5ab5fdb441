package io.hazelgrad.autograd.internal.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** The result of one step of planning: the plan, or the messages that it lacks. */
public sealed interface PlanningStep permits Plan, PlanningStep.Missing {
  /**
   * The messages that the plan needs and this worker does not know, never empty. Ask their senders,
   * add the answers to the graph, and step again.
   */
  record Missing(Set<MessageId> messages) implements PlanningStep {
    public Missing {
      messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
    }
  }
}
