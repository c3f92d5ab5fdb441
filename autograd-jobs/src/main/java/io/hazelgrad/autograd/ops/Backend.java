package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.Tensor;

/**
 * The arithmetic that operations are made of; another way to compute would stand behind it.
 *
 * <p>Every method takes tensors of any element type and gives one of the same type, unless it says
 * otherwise. 16-bit floating-point elements are computed as FLOAT32, integers and booleans as INT64
 * and cut to their width. Wrong arguments end in a {@link io.hazelgrad.grid.GridException} with
 * BAD_ARGUMENT.
 *
 * <p>Threads: implementations must be safe for use by many threads at once.
 */
public interface Backend {
  /** Functions of one element. All but NEG and RELU take floating-point elements only. */
  enum Unary {
    /** -x. */
    NEG,
    /** e^x. */
    EXP,
    /** The natural logarithm. */
    LOG,
    /** The hyperbolic tangent. */
    TANH,
    /** 1 / (1 + e^-x). */
    SIGMOID,
    /** max(x, 0); NaN stays NaN. */
    RELU
  }

  /** Functions of two elements. All but ADD, SUB and MUL take floating-point elements only. */
  enum Binary {
    /** a + b; for booleans: or. */
    ADD,
    /** a - b. */
    SUB,
    /** a * b; for booleans: and. */
    MUL,
    /** a / b. */
    DIV,
    /** The gradient of tanh: a * (1 - b^2) for the gradient a and the output b. */
    TANH_GRADIENT,
    /** The gradient of sigmoid: a * b * (1 - b) for the gradient a and the output b. */
    SIGMOID_GRADIENT,
    /** The gradient of relu: 0 if the output b is at most 0, else the gradient a. */
    RELU_GRADIENT
  }

  /** Functions that make one element of many. */
  enum Reduction {
    /** The sum; 0 of nothing. */
    SUM,
    /** The greatest; NaN if one is NaN; the least number of the type of nothing. */
    MAX
  }

  /** Applies a function to every element. */
  Tensor unary(Unary function, Tensor x);

  /** Applies a function to pairs of elements; both shapes are broadcast. Both have one type. */
  Tensor binary(Binary function, Tensor a, Tensor b);

  /** Reduces the given dimensions to the extent 1. */
  Tensor reduce(Reduction reduction, Tensor x, int... dims);

  /** Repeats elements along dimensions of extent 1, or new ones in front, to the given shape. */
  Tensor expand(Tensor x, long... shape);

  /** Reorders the dimensions: dimension i of the result is dimension {@code dims[i]} of x. */
  Tensor permute(Tensor x, int... dims);

  /**
   * Multiplies matrices: {@code [.., m, k]} by {@code [.., k, n]} gives {@code [.., m, n]}; the
   * leading dimensions are broadcast. A transposed operand has its last two dimensions swapped.
   */
  Tensor matmul(Tensor a, boolean transposeA, Tensor b, boolean transposeB);

  /**
   * Picks one element along a dimension: with {@code dim} 1, {@code out[i, j] = x[i, index[i, j],
   * j]}. A negative index picks 0.
   *
   * @param index INT64, of the shape of x without {@code dim}
   */
  Tensor pick(Tensor x, int dim, Tensor index);

  /**
   * The opposite of {@link #pick}: zeros, but with {@code dim} 1, {@code out[i, index[i, j], j] =
   * values[i, j]}. A negative index places nothing.
   *
   * @param index INT64, of the shape of values
   * @param extent of the new dimension
   */
  Tensor place(Tensor values, int dim, Tensor index, long extent);
}
