package io.hazelgrad.autograd.internal.plan;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/** The result of one step of planning: the plan, or the messages that it lacks. */
public sealed interface PlanningStep permits Plan, PlanningStep.Missing {
  /** Messages that the plan lacks, at least one: ask their senders, add them, and step again. */
  record Missing(Set<MessageId> messages) implements PlanningStep {
    public Missing {
      messages = Collections.unmodifiableSet(new LinkedHashSet<>(messages));
    }
  }
}
