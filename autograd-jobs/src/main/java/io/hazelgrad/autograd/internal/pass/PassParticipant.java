package io.hazelgrad.autograd.internal.pass;

import io.hazelgrad.grid.GridException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A member's side of backward passes: it takes gradients at send nodes, runs the local graph, and
 * makes gradients at recv nodes. Found in the Hazelcast instance's user context under {@link
 * #USER_CONTEXT_KEY}.
 *
 * <p>For each attempt: {@link #start} once; then for each wave in which the worker takes gradients,
 * all its {@link #deliver}s and then {@link #advance}; {@link #end} once, after {@code start}, even
 * if that threw. Waves come in order, and {@code advance} is not called for two waves of an attempt
 * at a time. {@code end} may come at any moment, also while {@code advance} runs, which should then
 * stop soon; whatever it returns is dropped.
 */
public interface PassParticipant {
  /** Where a member's participant is found in its user context. */
  String USER_CONTEXT_KEY = "io.hazelgrad.autograd.participant";

  /** Returns the worker's name, for errors. */
  String worker();

  /**
   * Returns where {@link #advance} is called. It must not run tasks in the thread that hands them
   * over: that is one of Jet's cooperative threads.
   */
  Executor executor();

  /**
   * Takes part in an attempt. An attempt with a higher number replaces what an earlier one staged.
   *
   * @throws GridException if the context is unknown or closed, the graph freed, or another pass
   *     holds part of it
   */
  void start(PassSpec spec);

  /**
   * Takes gradients at a send node. Called on one of Jet's threads; must be short.
   *
   * @throws GridException if the message does not fit its send node
   */
  void deliver(PassId pass, GradientMessage message);

  /**
   * Runs the local graph as far as the gradients allow that came in waves up to {@code wave}.
   *
   * @return exactly the messages that this member's part emits in wave {@code wave + 1}, empty ones
   *     included, in any order; now, or when a client that it acts for has answered
   */
  CompletionStage<List<GradientMessage>> advance(PassId pass, int wave);

  /**
   * Ends the attempt on this member. Must be short and not throw.
   *
   * @param failure why the attempt failed here, or null if this member's part is done. The attempt
   *     may still have failed elsewhere, so null is not a decision to commit
   */
  void end(PassId pass, @Nullable Throwable failure);
}
