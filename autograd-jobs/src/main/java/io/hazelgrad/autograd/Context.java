package io.hazelgrad.autograd;

import io.hazelgrad.autograd.internal.context.ContextState;
import io.hazelgrad.autograd.internal.context.RootCalls;
import io.hazelgrad.autograd.internal.plan.Plan;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The scope of one distributed recording. Calls made within it remember how their results came
 * about, over all workers; {@link #backward} runs the gradients back the same way. Every worker
 * keeps the gradients of its own leaves, by context; contexts never mix.
 *
 * <p>Closing frees everything everywhere. If the worker that opened it dies, the others free it.
 *
 * <p>Threads: safe, but the binding to a thread ends only if that thread closes it.
 */
public final class Context implements AutoCloseable {
  private final Autograd home;
  private final ContextState state;
  private final boolean own;

  Context(Autograd home, ContextState state, boolean own) {
    this.home = home;
    this.state = state;
    this.own = own;
  }

  /** Returns the context's name. */
  public ContextId id() {
    return state.id();
  }

  /** As {@link #backward(boolean, Variable...)}, without retaining the graph. */
  public void backward(Variable... roots) {
    backward(PassOptions.defaults(), roots);
  }

  /** As {@link #backward(PassOptions, Variable...)}, within the grid's call timeout. */
  public void backward(boolean retainGraph, Variable... roots) {
    backward(PassOptions.defaults().withRetainGraph(retainGraph), roots);
  }

  /**
   * Differentiates the sum of scalars of this worker and adds the gradients to those that each
   * worker's leaves have in this context. Waits until all is done. Either every worker has the
   * gradients of this pass then, or, if this throws, none has any of it.
   *
   * @throws GridException BAD_ARGUMENT if a root is no scalar or needs no gradient; GRAPH_FREED;
   *     PASS_CONFLICT; CONTEXT_CLOSED; WORKER_LOST if a worker of the pass died; TIMEOUT;
   *     NAME_TAKEN if another job of the pass's name runs; else PASS_FAILED, or what an operation
   *     threw, with worker and node
   */
  public void backward(PassOptions options, Variable... roots) {
    home.backward(state, options, roots);
  }

  /**
   * Returns the plan of a backward pass from these roots, without running it: which messages have
   * part in it, and in which wave. Asks other workers only for what this one does not know of the
   * graph.
   *
   * @throws GridException as {@link #backward(PassOptions, Variable...)} before it begins
   */
  public Plan plan(Variable... roots) {
    return home.plan(state, roots);
  }

  /**
   * Differentiates a scalar that lives on another worker, or on this one: its owner begins the
   * pass. Otherwise as {@link #backward(boolean, Variable...)}; waits within the reference's
   * deadline, and a pass that takes longer goes on.
   */
  public void backward(boolean retainGraph, RRef<Variable> root) {
    within(
        () -> {
          root.sync(Function.action(RootCalls::backward), retainGraph);
          return "";
        });
  }

  /** As {@link #backward(boolean, RRef)}, without retaining the graph. */
  public void backward(RRef<Variable> root) {
    backward(false, root);
  }

  /**
   * Returns the gradients that the committed passes of this context have given the leaves of this
   * worker; leaves without one are absent. A copy, by identity of the variables.
   */
  public Map<Variable, Tensor> gradients() {
    return state.gradients();
  }

  /** Returns the gradient of one leaf of this worker in this context, or null. */
  public @Nullable Tensor gradient(Variable leaf) {
    return state.gradient(leaf);
  }

  /** Runs something on this thread as part of this context, and so its calls. */
  public <T> T within(Supplier<T> work) {
    return home.within(state, work);
  }

  /**
   * Closes the context everywhere; the others hear of it in the background. Closing twice, or what
   * {@link Autograd#current()} returned, does nothing.
   */
  @Override
  public void close() {
    if (own) {
      home.close(state);
    }
  }

  @Override
  public String toString() {
    return state.id().toString();
  }
}
