package io.hazelgrad.autograd;

import io.hazelgrad.autograd.internal.tape.DeviceMoveNode;
import io.hazelgrad.autograd.internal.tape.Edge;
import io.hazelgrad.autograd.internal.tape.GradientSums;
import io.hazelgrad.autograd.internal.tape.LeafNode;
import io.hazelgrad.autograd.internal.tape.LocalPass;
import io.hazelgrad.autograd.internal.tape.Node;
import io.hazelgrad.autograd.internal.tape.OperationNode;
import io.hazelgrad.autograd.internal.tape.PassRoots;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Catalogue;
import io.hazelgrad.autograd.ops.Forward;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in a computation that can be differentiated. What is computed from variables that need
 * gradients needs gradients too, and remembers how it was computed.
 *
 * <p>A variable can travel in a call. Within a {@link Context} its gradient finds the way back over
 * the workers; outside of one the receiver gets its value only.
 *
 * <p>Every operation of the catalogue is at hand by {@link #apply(String, Variable...)}; the usual
 * ones have methods, which fail with BAD_ARGUMENT on arguments that do not fit. Semantics are
 * torch's: broadcasting, element types, reductions.
 *
 * <p>Threads: safe, but {@link #set} must not race with operations on the same variable.
 */
@RemoteFunctions
public final class Variable {
  public static final Backend BACKEND = Catalogue.backend();

  private volatile Tensor value;
  private final boolean requiresGrad;

  /** Where this variable's gradient goes; null exactly if it needs none. */
  private final @Nullable Edge edge;

  private @Nullable Tensor grad;

  private Variable(Tensor value) {
    this.value = value;
    this.requiresGrad = false;
    this.edge = null;
  }

  private Variable(Tensor value, Node node, int slot) {
    this.value = value;
    this.requiresGrad = true;
    this.edge = new Edge(node, slot);
  }

  private Variable(Tensor value, boolean leaf) {
    this.value = value;
    this.requiresGrad = leaf;
    this.edge = new Edge(new LeafNode(this), 0);
  }

  /** Makes a variable that needs no gradient. */
  public static Variable of(Tensor value) {
    return new Variable(value);
  }

  /**
   * Makes a leaf that needs a gradient.
   *
   * @throws GridException BAD_ARGUMENT if the tensor is not of a floating-point type
   */
  public static Variable parameter(Tensor value) {
    if (!value.dtype().isFloating()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only floating-point tensors can need gradients: dtype=" + value.dtype());
    }
    return new Variable(value, true);
  }

  /** Makes a variable whose gradient goes to a node. */
  public static Variable computed(Tensor value, Node node, int slot) {
    return new Variable(value, node, slot);
  }

  /** Returns the tensor. */
  public Tensor value() {
    return value;
  }

  /** Returns whether this needs a gradient. */
  public boolean requiresGrad() {
    return requiresGrad;
  }

  public @Nullable Edge edge() {
    return edge;
  }

  boolean isLeaf() {
    return edge == null || edge.node() instanceof LeafNode;
  }

  /**
   * Replaces the tensor of a leaf, as an optimizer does. What was computed from the old one keeps
   * it.
   *
   * @throws GridException BAD_ARGUMENT if this was computed, or type or shape differ
   */
  public void set(Tensor newValue) {
    if (!isLeaf()) {
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

  /** Returns a variable with the same tensor that needs no gradient. */
  public Variable detach() {
    return of(value);
  }

  /**
   * Returns this on another device; itself if it is there. Its gradient comes back to where this
   * is.
   *
   * @throws IllegalArgumentException if there is no backend for the device
   */
  public Variable to(Device device) {
    Tensor here = value;
    Edge source = edge;
    if (here.device().equals(device)) {
      return this;
    }
    return source == null || NoGrad.isActive()
        ? of(here.to(device))
        : computed(here.to(device), new DeviceMoveNode(source, here.device()), 0);
  }

  /**
   * Lets a function see, and perhaps change, the gradient of this variable in every backward pass
   * that comes by: when it is complete, before it goes on to what this was computed from, or to the
   * leaf. Several are applied in the order in which they were added.
   *
   * <p>A function runs at this worker, on a thread of the grid's or, where the pass was begun, on
   * the one that called {@code backward}, which then comes back no sooner than the function does.
   * It runs once for each attempt: a pass may be tried again when members come or go. What it
   * throws fails the pass.
   *
   * @param change returns the gradient to go on with, of the same type and shape and on the same
   *     device; its argument if it only looks
   * @return closing it removes the function
   * @throws GridException BAD_ARGUMENT if this needs no gradient
   */
  public Hook hook(UnaryOperator<Tensor> change) {
    Edge to = edge;
    if (to == null) {
      throw new GridException(Status.BAD_ARGUMENT, this + " needs no gradient, so it has no hooks");
    }
    Runnable remove = to.node().hook(to.slot(), change);
    return remove::run;
  }

  /**
   * Lets a function see the gradient of this leaf each time that a backward pass has added to it:
   * the sum, as {@link #grad()} or the pass's context has it then. So it can make an optimizer's
   * step for this leaf at once. A pass that fails adds nothing, and is not seen.
   *
   * <p>Where the pass was begun, it runs before {@code backward} returns, on the same thread. On
   * another worker it runs on a thread of the grid's as soon as the worker hears that the pass
   * counts, with the next message of the context; not at all if that is its end. What it throws is
   * logged: the gradient counts all the same.
   *
   * @return closing it removes the function
   * @throws GridException BAD_ARGUMENT if this was computed or needs no gradient
   */
  public Hook hookAfterAccumulation(Consumer<Tensor> seen) {
    if (edge == null || !(edge.node() instanceof LeafNode leaf)) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only a leaf that needs a gradient adds one up, so no other has such hooks: " + this);
    }
    Runnable remove = leaf.watch(seen);
    return remove::run;
  }

  /** A function that was added to the gradient of a variable. Threads: safe. */
  @FunctionalInterface
  public interface Hook extends AutoCloseable {
    /** Removes it; a pass that is under way may yet run it. */
    @Override
    void close();
  }

  /** Applies an operation of the catalogue. */
  public static Variable apply(String operation, Variable... inputs) {
    return apply(operation, Attributes.none(), inputs);
  }

  /**
   * Applies an operation of the catalogue.
   *
   * @throws GridException UNKNOWN_FUNCTION or BAD_ARGUMENT, with the offending values
   */
  public static Variable apply(String operation, Attributes attributes, Variable... inputs) {
    return applyAll(operation, attributes, inputs).output();
  }

  /** As {@link #apply(String, Attributes, Variable...)}, with the further outputs. */
  public static Outputs applyAll(String operation, Attributes attributes, Variable... inputs) {
    Operation found = Catalogue.get(operation);
    List<Tensor> tensors = Arrays.stream(inputs).map(Variable::value).toList();
    Forward forward = found.forward(BACKEND, tensors, attributes);
    String place = AnomalyMode.isActive() ? AnomalyMode.place() : null;
    if (place != null) {
      AnomalyMode.check(operation, place, forward.output());
    }
    List<@Nullable Edge> edges = new ArrayList<>(inputs.length);
    boolean recorded = !NoGrad.isActive();
    boolean needed = false;
    for (int i = 0; i < inputs.length; i++) {
      boolean here = recorded && inputs[i].requiresGrad && found.differentiable(i);
      edges.add(here ? inputs[i].edge : null);
      needed |= here;
    }
    if (!needed || !forward.output().dtype().isFloating()) {
      return new Outputs(of(forward.output()), forward.more());
    }
    Node node = new OperationNode(found, forward.saved(), edges, place);
    return new Outputs(computed(forward.output(), node, 0), forward.more());
  }

  /** Returns the sum, with broadcasting. */
  public Variable add(Variable other) {
    return apply("add", this, other);
  }

  /** Returns the difference, with broadcasting. */
  public Variable sub(Variable other) {
    return apply("sub", this, other);
  }

  /** Returns the product element by element, with broadcasting. */
  public Variable mul(Variable other) {
    return apply("mul", this, other);
  }

  /** Returns the quotient element by element, with broadcasting. */
  public Variable div(Variable other) {
    return apply("div", this, other);
  }

  /** Returns the matrix product. */
  public Variable matmul(Variable other) {
    return apply("matmul", this, other);
  }

  /** Returns {@code x weight^T + bias}: weight has the shape [out, in], bias [out]. */
  public Variable linear(Variable weight, Variable bias) {
    return apply("linear", this, weight, bias);
  }

  /** Returns the hyperbolic tangent. */
  public Variable tanh() {
    return apply("tanh", this);
  }

  /** Returns the greater of each element and 0. */
  public Variable relu() {
    return apply("relu", this);
  }

  /** Returns 1 / (1 + e^-x). */
  public Variable sigmoid() {
    return apply("sigmoid", this);
  }

  /** Returns e^x. */
  public Variable exp() {
    return apply("exp", this);
  }

  /** Returns -x. */
  public Variable neg() {
    return apply("neg", this);
  }

  /** Returns the sum of all elements, a scalar. */
  public Variable sum() {
    return apply("sum", this);
  }

  /** Returns the mean of all elements, a scalar. */
  public Variable mean() {
    return apply("mean", this);
  }

  /** Returns the elements, row by row, in another shape; one extent may be -1. */
  public Variable reshape(long... shape) {
    return apply("reshape", Attributes.of("shape", shape), this);
  }

  /** Returns this with two dimensions swapped. */
  public Variable transpose(int dim0, int dim1) {
    return apply("transpose", Attributes.of("dim0", dim0, "dim1", dim1), this);
  }

  /** Returns the logarithm of the softmax along a dimension. */
  public Variable logSoftmax(int dim) {
    return apply("log_softmax", Attributes.of("dim", dim), this);
  }

  /** Returns the mean negative log likelihood of class indices (INT64) under log probabilities. */
  public Variable nllLoss(Variable target) {
    return apply("nll_loss", this, target);
  }

  /** Returns the mean cross entropy of class indices (INT64) under unnormalised scores. */
  public Variable crossEntropy(Variable target) {
    return apply("cross_entropy", this, target);
  }

  /** Returns the mean of the squared differences. */
  public Variable mseLoss(Variable target) {
    return apply("mse_loss", this, target);
  }

  /**
   * Differentiates this scalar within this process and adds the gradients of its leaves to their
   * {@link #grad()}. Frees the graph.
   *
   * @throws GridException BAD_ARGUMENT if this is no scalar, needs no gradient, or was computed
   *     from what another worker sent, for which there is {@link Context#backward(Variable...)}
   */
  public void backward() {
    backward(false);
  }

  /** As {@link #backward()}, and keeps the graph for another pass if asked to. */
  public void backward(boolean retainGraph) {
    PassRoots roots = PassRoots.of(this);
    Map<LeafNode, Tensor> gradients = LocalPass.run(roots, retainGraph);
    List<Runnable> telling = new ArrayList<>();
    gradients.forEach(
        (leaf, gradient) -> telling.addAll(leaf.accumulated(leaf.variable().accumulate(gradient))));
    telling.forEach(Runnable::run);
  }

  private synchronized Tensor accumulate(Tensor gradient) {
    Tensor sum = GradientSums.add(BACKEND, grad, gradient);
    grad = sum;
    return sum;
  }

  /** Returns what {@link #backward()} calls have added up, or null. Contexts do not touch it. */
  public synchronized @Nullable Tensor grad() {
    return grad;
  }

  /** Forgets {@link #grad()}. */
  public synchronized void zeroGrad() {
    grad = null;
  }

  @Override
  public String toString() {
    return "Variable(" + value + (requiresGrad ? ", requiresGrad" : "") + ")";
  }
}
