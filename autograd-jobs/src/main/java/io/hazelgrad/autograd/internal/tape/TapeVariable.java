package io.hazelgrad.autograd.internal.tape;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.internal.plan.PassKey;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The only implementation of {@link Variable}: a tensor, and the edge that its gradient takes. */
public final class TapeVariable implements Variable {
  /** The initiator in the keys of passes without a context: no worker has this id. */
  private static final long NO_WORKER = -1;

  private static final AtomicLong LOCAL_PASSES = new AtomicLong();

  private volatile Tensor value;

  /** The edge that the gradient takes; null exactly if none is needed. */
  private final @Nullable Edge edge;

  TapeVariable(Tensor value, @Nullable Edge edge) {
    this.value = value;
    this.edge = edge;
  }

  TapeVariable(Tensor value) {
    this.value = value;
    this.edge = new Edge(new LeafNode(this), 0);
  }

  /** Creates a variable whose gradient goes to a node. */
  public static Variable computed(Tensor value, Node node, int slot) {
    return new TapeVariable(value, new Edge(node, slot));
  }

  /** Returns the edge that the gradient of a variable takes, or null if it needs none. */
  public static @Nullable Edge edge(Variable variable) {
    return ((TapeVariable) variable).edge;
  }

  @Override
  public Tensor value() {
    return value;
  }

  @Override
  public boolean requiresGrad() {
    return edge != null;
  }

  private @Nullable LeafNode leafNode() {
    return edge != null && edge.node() instanceof LeafNode leaf ? leaf : null;
  }

  @Override
  public void set(Tensor newValue) {
    if (edge != null && leafNode() == null) {
      throw new GridException(
          Status.BAD_ARGUMENT, "only a leaf can be set; this was computed by " + edge);
    }
    if (newValue.dtype() != value.dtype() || !newValue.hasShape(value.shape())) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "a leaf keeps its type and shape: is " + value + ", new " + newValue);
    }
    value = newValue;
  }

  @Override
  public Variable to(Device device) {
    Tensor current = value;
    if (current.device().equals(device)) {
      return this;
    }
    return edge == null || NoGrad.isActive()
        ? new TapeVariable(current.to(device), null)
        : computed(current.to(device), new DeviceMoveNode(edge, current.device()), 0);
  }

  @Override
  public Hook hook(UnaryOperator<Tensor> change) {
    if (edge == null) {
      throw new GridException(Status.BAD_ARGUMENT, this + " needs no gradient, so it has no hooks");
    }
    return edge.node().hook(edge.slot(), change)::run;
  }

  @Override
  public Hook hookAfterAccumulation(Consumer<Tensor> seen) {
    LeafNode leaf = leafNode();
    if (leaf == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only a leaf that needs a gradient has hooks after the accumulation, not " + this);
    }
    return leaf.watch(seen)::run;
  }

  @Override
  public void backward(boolean retainGraph) {
    PassRoots roots = PassRoots.of(this);
    GradientEngine engine = new GradientEngine(List.of(roots.node()));
    for (Node node : engine.nodes()) {
      if (node instanceof RecvNode) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the root depends on "
                + node
                + ", which came from another worker; use Context.backward(...)");
      }
    }
    PassKey key = new PassKey(NO_WORKER, LOCAL_PASSES.incrementAndGet());
    try (ReservedNodes reserved = new ReservedNodes(key, !retainGraph)) {
      reserved.reserve(engine.nodes());
      engine.deliver(roots.node(), roots.gradients());
      engine.run(() -> false);
      if (!retainGraph) {
        reserved.free();
      }
    }
    List<Runnable> hooks = new ArrayList<>();
    engine.leaves().forEach((leaf, gradient) -> hooks.addAll(leaf.accumulate(gradient)));
    hooks.forEach(Runnable::run);
  }

  @Override
  public @Nullable Tensor grad() {
    LeafNode leaf = leafNode();
    return leaf == null ? null : leaf.grad();
  }

  @Override
  public void zeroGrad() {
    LeafNode leaf = leafNode();
    if (leaf != null) {
      leaf.zeroGrad();
    }
  }

  @Override
  public String toString() {
    return "Variable(" + value + (edge == null ? "" : ", requiresGrad") + ")";
  }
}
