package io.hazelgrad.autograd.internal.context;

import io.hazelgrad.autograd.ContextId;
import io.hazelgrad.autograd.internal.plan.PassDecisions;

/** The decisions about passes that travel with the messages of a context. */
public interface DecisionTable {
  /** Returns the known decisions of an initiator. */
  PassDecisions decisions(long initiator);

  /** Merges decisions of an initiator, and applies them to the passes that are staged here. */
  void learn(long initiator, PassDecisions learned);

  /** Drops the passes that are staged in a closed context. */
  void dropContext(ContextId id);
}
