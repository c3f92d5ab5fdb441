package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a path: a variable that was made, not computed. */
public final class LeafNode extends Node {
  private static final Logger LOG = LoggerFactory.getLogger(LeafNode.class);

  private final Variable variable;
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  /** No record: the same function may be added twice. */
  private static final class Watcher {
    final Consumer<Tensor> seen;

    Watcher(Consumer<Tensor> seen) {
      this.seen = seen;
    }

    /** The gradient counts already, so no failure can change anything. */
    void tell(Tensor gradient) {
      try {
        seen.accept(gradient);
      } catch (RuntimeException e) {
        LOG.warn("a hook after the accumulation of a gradient failed", e);
      }
    }
  }

  public LeafNode(Variable variable) {
    this.variable = variable;
  }

  public Variable variable() {
    return variable;
  }

  /** Adds a function that sees the gradient when it has been added up; running removes it. */
  public Runnable watch(Consumer<Tensor> seen) {
    Watcher watcher = new Watcher(seen);
    watchers.add(watcher);
    return () -> watchers.remove(watcher);
  }

  /** Returns what is to be done when the gradient has become this, without any lock. */
  public List<Runnable> accumulated(Tensor gradient) {
    List<Runnable> telling = new ArrayList<>();
    watchers.forEach(each -> telling.add(() -> each.tell(gradient)));
    return telling;
  }

  @Override
  int slots() {
    return 1;
  }

  @Override
  List<@Nullable Edge> edges() {
    return List.of();
  }

  @Override
  List<@Nullable Tensor> backward(Backend backend, List<@Nullable Tensor> gradients) {
    return List.of();
  }

  /** Any number of passes may end at a leaf. */
  @Override
  boolean take(ReservedNodes taker) {
    return true;
  }

  @Override
  void giveBack(ReservedNodes holder) {}

  @Override
  public String toString() {
    return "leaf";
  }
}
