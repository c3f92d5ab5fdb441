package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node of a leaf: a variable that the program created and that needs a gradient. */
public final class LeafNode extends Node {
  private static final Logger LOG = LoggerFactory.getLogger(LeafNode.class);

  private final Variable variable;
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  private @Nullable Tensor grad;

  /** No record, because the same function may be added twice. */
  private static final class Watcher {
    final Consumer<Tensor> seen;

    Watcher(Consumer<Tensor> seen) {
      this.seen = seen;
    }

    /** Runs the function. The gradient counts already, so a failure changes nothing. */
    void run(Tensor gradient) {
      try {
        seen.accept(gradient);
      } catch (RuntimeException e) {
        LOG.warn("a hook after the accumulation of a gradient failed", e);
      }
    }
  }

  LeafNode(Variable variable) {
    this.variable = variable;
  }

  public Variable variable() {
    return variable;
  }

  /** Adds a function that sees the accumulated gradient; running the result removes it. */
  Runnable watch(Consumer<Tensor> seen) {
    Watcher watcher = new Watcher(seen);
    watchers.add(watcher);
    return () -> watchers.remove(watcher);
  }

  /** Returns the hooks to run, without any lock, when the accumulated gradient is this. */
  public List<Runnable> hooksAfter(Tensor accumulated) {
    List<Runnable> hooks = new ArrayList<>();
    watchers.forEach(each -> hooks.add(() -> each.run(accumulated)));
    return hooks;
  }

  /** Adds the gradient of a pass without a context; returns the hooks to run. */
  synchronized List<Runnable> accumulate(Tensor gradient) {
    Tensor sum = GradientEngine.add(grad, gradient);
    grad = sum;
    return hooksAfter(sum);
  }

  /** Returns the sum of the gradients of passes without a context. */
  synchronized @Nullable Tensor grad() {
    return grad;
  }

  synchronized void zeroGrad() {
    grad = null;
  }

  /** Returns true: any number of passes may end at a leaf. */
  @Override
  boolean reserve(ReservedNodes holder) {
    return true;
  }

  @Override
  void release(ReservedNodes holder) {}

  @Override
  public String toString() {
    return "leaf";
  }
}
