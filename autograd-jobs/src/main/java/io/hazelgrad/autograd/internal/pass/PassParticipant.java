package io.hazelgrad.autograd.internal.pass;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A member's side of backward passes: takes gradients at send nodes, runs the local graph, and
 * emits gradients at recv nodes. Schedulers find it in the user context of the Hazelcast instance
 * under {@link #USER_CONTEXT_KEY}.
 *
 * <p>For each attempt a scheduler calls {@link #start} once. For each wave in which the member
 * takes gradients it calls {@link #deliver} for each message, then {@link #advance}. Waves come in
 * order, one at a time. It calls {@link #end} once after {@code start}, even if that threw, unless
 * the member shuts down while {@code start} runs. {@code end} may come while {@code advance} runs;
 * that should then stop soon, and its result is dropped.
 */
public interface PassParticipant {
  /** The key of the participant in the user context. */
  String USER_CONTEXT_KEY = "io.hazelgrad.autograd.participant";

  /** Returns the worker's name, for errors. */
  String worker();

  /** Returns the executor for {@link #advance}; it runs nothing in the submitting Jet thread. */
  Executor executor();

  /**
   * Takes part in an attempt. A later attempt at the same pass replaces the earlier one. Throws if
   * the context is unknown or closed, the graph freed, or another pass holds part of it.
   */
  void start(PassSpec spec);

  /** Takes gradients at their send node. Must be short: Jet's threads call it. */
  void deliver(PassId pass, GradientMessage message);

  /**
   * Runs the local graph as far as the gradients of the waves up to {@code wave} allow. Returns
   * exactly the messages that this member emits in the next wave, in any order, including those
   * without gradients; completed when the relayed clients have replied. Fails with {@link
   * RelayLostException} if one of them is not relayed here any more.
   */
  CompletionStage<List<GradientMessage>> advance(PassId pass, int wave);

  /**
   * Ends the attempt on this member: with a failure, or null if its part is done. Null is no
   * decision to commit: the attempt may have failed on another member. Must be short and not throw:
   * Jet's threads call it.
   */
  void end(PassId pass, @Nullable Throwable failure);
}
