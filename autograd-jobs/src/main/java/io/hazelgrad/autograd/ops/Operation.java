package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A function of tensors with its shape rule, its argument checks and its gradient. {@link
 * Catalogue} lists all operations.
 *
 * <p>For all arguments, a call ends with a result or a {@link io.hazelgrad.grid.GridException}
 * whose message has the operation's name and the offending values; checks come before arithmetic.
 *
 * <p>Threads: safe, since operations have no state.
 */
public interface Operation {
  /** Returns the name, such as {@code matmul}. */
  String name();

  /** Returns the smallest number of inputs. */
  int minInputs();

  /** Returns the largest number of inputs; {@link Integer#MAX_VALUE} if there is no bound. */
  int maxInputs();

  /** Returns the names of its attributes, sorted. */
  Set<String> attributes();

  /** Returns whether there is a gradient for the input of that index, if it is floating-point. */
  boolean differentiable(int input);

  /**
   * Checks everything that needs no elements, and returns the type of the output.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT on a wrong number of inputs, wrong shapes,
   *     element types or attributes
   */
  TensorType check(List<TensorType> inputs, Attributes attributes);

  /**
   * Checks elements whose values matter, such as class indices, after {@link #check}.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT with value and position
   */
  default void checkValues(List<Tensor> inputs, Attributes attributes) {}

  /**
   * Checks all arguments, then computes the output.
   *
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT as {@link #check} and {@link
   *     #checkValues}, or if the heap is smaller than the result; REJECTED if there is no memory
   */
  Forward forward(Backend backend, List<Tensor> inputs, Attributes attributes);

  /**
   * Computes the gradients of sum(output * gradOutput) with respect to the inputs.
   *
   * @param saved the data that {@link #forward} returned
   * @param gradOutput of the output's type
   * @param needed which inputs need a gradient; the others cost no work
   * @return per input null if not needed, else a gradient of the input's type
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if {@code gradOutput} has another type
   *     than the output, or if a needed gradient does not exist
   */
  List<@Nullable Tensor> backward(
      Backend backend, Saved saved, Tensor gradOutput, boolean[] needed);
}
