package io.hazelgrad.autograd;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scope of one distributed recording. Calls within it record the graph of their results over
 * all workers; {@link #backward} sends the gradients back along that graph. Each worker keeps the
 * gradients of its leaves per context, and contexts share no gradients. Implemented by Hazelgrad.
 *
 * <p>Closing frees the recording on all workers; so does the death of the worker that opened it.
 *
 * <p>Threads: safe, but the binding to a thread ends only if that thread closes the context.
 */
public interface Context extends AutoCloseable {
  /** Returns the context's id. */
  ContextId id();

  /** As {@link #backward(boolean, Variable...)}, without retaining the graph. */
  default void backward(Variable... roots) {
    backward(PassOptions.defaults(), roots);
  }

  /** As {@link #backward(PassOptions, Variable...)}, within the grid's call timeout. */
  default void backward(boolean retainGraph, Variable... roots) {
    backward(PassOptions.defaults().withRetainGraph(retainGraph), roots);
  }

  /**
   * Differentiates the sum of scalars of this worker. The gradients are added to those that each
   * worker's leaves have in this context. Blocks until the pass ends. If it returns, every worker
   * has the gradients of this pass; if it throws, no worker has any of them.
   *
   * @throws GridException BAD_ARGUMENT if a root is no scalar or needs no gradient; GRAPH_FREED;
   *     PASS_CONFLICT; CONTEXT_CLOSED; WORKER_LOST if a worker of the pass died; TIMEOUT;
   *     NAME_TAKEN if another job of the pass's name runs; otherwise PASS_FAILED or the error of an
   *     operation, with worker and node
   */
  void backward(PassOptions options, Variable... roots);

  /**
   * Returns the plan of a backward pass from these roots, without running it: the messages that
   * take part, and their waves. Asks other workers only for unknown parts of the graph.
   *
   * @throws GridException as {@link #backward(PassOptions, Variable...)} before it begins
   */
  PassPlan plan(Variable... roots);

  /**
   * Differentiates a scalar that is owned by another worker, or by this one; the owner runs the
   * pass. Otherwise as {@link #backward(boolean, Variable...)}. Waits within the reference's
   * deadline; a pass that takes longer continues.
   */
  void backward(boolean retainGraph, RRef<Variable> root);

  /** As {@link #backward(boolean, RRef)}, without retaining the graph. */
  default void backward(RRef<Variable> root) {
    backward(false, root);
  }

  /**
   * Returns the gradients that the committed passes of this context gave to the leaves of this
   * worker. Leaves without a gradient are absent. The map is a copy, by identity of the variables.
   */
  Map<Variable, Tensor> gradients();

  /** Returns the gradient of one leaf of this worker in this context, or null. */
  @Nullable Tensor gradient(Variable leaf);

  /** Runs a supplier on this thread within this context; its calls are recorded. */
  <T> T within(Supplier<T> work);

  /**
   * Closes the context on all workers; the other workers are told in the background. Closing twice
   * does nothing, nor does closing the result of {@link Autograd#current()}.
   */
  @Override
  void close();
}
