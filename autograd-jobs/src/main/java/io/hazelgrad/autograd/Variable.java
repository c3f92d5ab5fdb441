package io.hazelgrad.autograd;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteFunctions;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A tensor in a differentiable computation. The result of an operation on variables that need
 * gradients needs a gradient too, and records the operation. Implemented by Hazelgrad only.
 *
 * <p>A variable can travel in a call. Within a {@link Context} its gradient flows back over the
 * workers; outside a context the receiver gets only the value.
 *
 * <p>{@link #apply(String, Variable...)} applies every operation of the catalogue. The common
 * operations have methods; these fail with BAD_ARGUMENT if the arguments do not fit. Broadcasting,
 * element types and reductions follow torch.
 *
 * <p>Threads: safe, but {@link #set} must not race with operations on the same variable.
 */
@RemoteFunctions
public interface Variable {
  /** Creates a variable that needs no gradient. */
  static Variable of(Tensor value) {
    return AutogradProvider.Holder.PROVIDER.constant(value);
  }

  /**
   * Creates a leaf that needs a gradient.
   *
   * @throws GridException BAD_ARGUMENT if the tensor is not of a floating-point type
   */
  static Variable parameter(Tensor value) {
    if (!value.dtype().isFloating()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "only floating-point tensors can need gradients: dtype=" + value.dtype());
    }
    return AutogradProvider.Holder.PROVIDER.leaf(value);
  }

  /** Applies an operation of the catalogue. */
  static Variable apply(String operation, Variable... inputs) {
    return apply(operation, Attributes.none(), inputs);
  }

  /**
   * Applies an operation of the catalogue.
   *
   * @throws GridException UNKNOWN_FUNCTION or BAD_ARGUMENT, with the offending values
   */
  static Variable apply(String operation, Attributes attributes, Variable... inputs) {
    return applyAll(operation, attributes, inputs).output();
  }

  /** As {@link #apply(String, Attributes, Variable...)}, with the further outputs. */
  static Outputs applyAll(String operation, Attributes attributes, Variable... inputs) {
    Outputs outputs = AutogradProvider.Holder.PROVIDER.apply(operation, attributes, inputs);
    OperationTrace.add(operation, attributes, inputs, outputs);
    return outputs;
  }

  /** Returns the tensor. */
  Tensor value();

  /** Returns whether this needs a gradient. */
  boolean requiresGrad();

  /**
   * Replaces the tensor of a leaf, as an optimizer does. Earlier results keep the old tensor.
   *
   * @throws GridException BAD_ARGUMENT if this was computed, or type or shape differ
   */
  void set(Tensor newValue);

  /** Returns a variable with the same tensor that needs no gradient. */
  default Variable detach() {
    return of(value());
  }

  /**
   * Returns this variable on another device, or this one if it is there already. The gradient
   * returns to the device of this variable.
   *
   * @throws IllegalArgumentException if there is no backend for the device
   */
  Variable to(Device device);

  /**
   * Adds a function that sees the gradient of this variable in every backward pass and may change
   * it. It runs when the gradient is complete, before the gradient flows on to the inputs of this
   * variable or to the leaf. Several functions run in the order in which they were added.
   *
   * <p>The function runs on this worker: on the thread that called {@code backward} if the pass
   * began here, otherwise on a thread of the grid. It runs once per attempt; a pass is attempted
   * again when members come or go. An exception of the function fails the pass.
   *
   * @param change returns the gradient to use from here on, of the same type and shape and on the
   *     same device; a function that changes nothing returns its argument
   * @return closing it removes the function
   * @throws GridException BAD_ARGUMENT if this needs no gradient
   */
  Hook hook(UnaryOperator<Tensor> change);

  /**
   * Adds a function that sees the accumulated gradient of this leaf each time a backward pass has
   * added to it: the sum, as in {@link #grad()} or in the pass's context. An optimizer can make its
   * step for this leaf there. A failed pass adds nothing and does not call the function.
   *
   * <p>On the worker where the pass began, the function runs before {@code backward} returns, on
   * the same thread. Another worker runs it on a thread of the grid when it learns of the commit,
   * with the next message of the context; it does not run if the context closes first. An exception
   * is logged, and the gradient counts all the same.
   *
   * @return closing it removes the function
   * @throws GridException BAD_ARGUMENT if this was computed or needs no gradient
   */
  Hook hookAfterAccumulation(Consumer<Tensor> seen);

  /** A function that was added to the gradient of a variable. Threads: safe. */
  @FunctionalInterface
  interface Hook extends AutoCloseable {
    /** Removes the function; a pass that runs now may still call it. */
    @Override
    void close();
  }

  /** Returns the sum, with broadcasting. */
  default Variable add(Variable other) {
    return apply("add", this, other);
  }

  /** Returns the difference, with broadcasting. */
  default Variable sub(Variable other) {
    return apply("sub", this, other);
  }

  /** Returns the product element by element, with broadcasting. */
  default Variable mul(Variable other) {
    return apply("mul", this, other);
  }

  /** Returns the quotient element by element, with broadcasting. */
  default Variable div(Variable other) {
    return apply("div", this, other);
  }

  /** Returns the matrix product. */
  default Variable matmul(Variable other) {
    return apply("matmul", this, other);
  }

  /** Returns {@code x weight^T + bias}: weight has the shape [out, in], bias [out]. */
  default Variable linear(Variable weight, Variable bias) {
    return apply("linear", this, weight, bias);
  }

  /** Returns the hyperbolic tangent. */
  default Variable tanh() {
    return apply("tanh", this);
  }

  /** Returns the greater of each element and 0. */
  default Variable relu() {
    return apply("relu", this);
  }

  /** Returns 1 / (1 + e^-x). */
  default Variable sigmoid() {
    return apply("sigmoid", this);
  }

  /** Returns e^x. */
  default Variable exp() {
    return apply("exp", this);
  }

  /** Returns -x. */
  default Variable neg() {
    return apply("neg", this);
  }

  /** Returns the sum of all elements, a scalar. */
  default Variable sum() {
    return apply("sum", this);
  }

  /** Returns the mean of all elements, a scalar. */
  default Variable mean() {
    return apply("mean", this);
  }

  /** Returns the elements, row by row, in another shape; one extent may be -1. */
  default Variable reshape(long... shape) {
    return apply("reshape", Attributes.of("shape", shape), this);
  }

  /** Returns this with two dimensions swapped. */
  default Variable transpose(int dim0, int dim1) {
    return apply("transpose", Attributes.of("dim0", dim0, "dim1", dim1), this);
  }

  /** Returns the logarithm of the softmax along a dimension. */
  default Variable logSoftmax(int dim) {
    return apply("log_softmax", Attributes.of("dim", dim), this);
  }

  /** Returns the mean cross entropy of class indices (INT64) under unnormalised scores. */
  default Variable crossEntropy(Variable target) {
    return apply("cross_entropy", this, target);
  }

  /** Returns the mean of the squared differences. */
  default Variable mseLoss(Variable target) {
    return apply("mse_loss", this, target);
  }

  /**
   * Differentiates this scalar within this process and adds the gradients of its leaves to their
   * {@link #grad()}. Frees the graph.
   *
   * @throws GridException BAD_ARGUMENT if this is no scalar, needs no gradient, or depends on a
   *     variable from another worker; then use {@link Context#backward(Variable...)}
   */
  default void backward() {
    backward(false);
  }

  /** As {@link #backward()}; keeps the graph for another pass if {@code retainGraph} is true. */
  void backward(boolean retainGraph);

  /** Returns the sum of the gradients of all passes without a context, or null if there is none. */
  @Nullable Tensor grad();

  /** Clears {@link #grad()}. */
  void zeroGrad();
}
