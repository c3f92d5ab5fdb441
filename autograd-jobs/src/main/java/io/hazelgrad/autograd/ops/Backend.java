package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of operations. Another kind of processor would be another implementation.
 * Operations check their arguments first. A backend checks in addition everything that could make
 * it read or write outside an array.
 *
 * <p>Every method takes tensors of any element type and gives one of the same type, unless it says
 * otherwise. 16-bit floating-point elements are computed as FLOAT32, integers and booleans as INT64
 * and cut to their width. Wrong arguments are refused with BAD_ARGUMENT.
 *
 * <p>Threads: implementations must be safe for use by many threads at once.
 */
public interface Backend {
  /** Functions of one element; of integers only NEG, ABS, SIGN and RELU. */
  enum Unary {
    /** -x. */
    NEG,
    /** The absolute value. */
    ABS,
    /** -1, 0 or 1; 0 of NaN. */
    SIGN,
    /** max(x, 0); NaN stays NaN. */
    RELU,
    /** The greatest integer that is not above x. */
    FLOOR,
    /** The square root. */
    SQRT,
    /** e^x. */
    EXP,
    /** e^x - 1, exact for small x. */
    EXPM1,
    /** The natural logarithm. */
    LOG,
    /** log(1 + x), exact for small x. */
    LOG1P,
    /** The sine. */
    SIN,
    /** The cosine. */
    COS,
    /** The hyperbolic tangent. */
    TANH,
    /** 1 / (1 + e^-x). */
    SIGMOID,
    /** log(sigmoid(x)). */
    LOG_SIGMOID,
    /** The error function. */
    ERF
  }

  /** Functions of two elements. DIV and the gradients take floating-point elements only. */
  enum Binary {
    /** a + b; for booleans: or. */
    ADD,
    /** a - b. */
    SUB,
    /** a * b; for booleans: and. */
    MUL,
    /** a / b. */
    DIV,
    /** The greater one; NaN if one is NaN. */
    MAX,
    /** The lesser one; NaN if one is NaN. */
    MIN,
    /** a^b. An integer to a negative one is the reciprocal cut to an integer. */
    POW,
    /** 1 if a = b, else 0. */
    EQUAL,
    /** 1 if a is less than b, else 0. */
    LESS,
    /** 1 if a is at most b, else 0. */
    LESS_EQUAL,
    /** The gradient of tanh: a * (1 - b^2) for the gradient a and the output b. */
    TANH_GRADIENT,
    /** The gradient of sigmoid: a * b * (1 - b) for the gradient a and the output b. */
    SIGMOID_GRADIENT,
    /** The gradient of relu: 0 if the output b is at most 0, else the gradient a. */
    RELU_GRADIENT
  }

  /** Functions that reduce many elements to one. */
  enum Reduction {
    /** The sum; 0 of nothing. */
    SUM,
    /** The product; 1 of nothing. */
    PROD,
    /** The greatest; NaN if one is NaN; the least number of the type of nothing. */
    MAX,
    /** The least; NaN if one is NaN; the greatest number of the type of nothing. */
    MIN
  }

  /**
   * Returns kernels that compute whole layers of this element type in one pass over memory, or null
   * if there are none; the operations then use their formulas.
   */
  default @Nullable FusedKernels fused(DType dtype) {
    return null;
  }

  /** Returns the arithmetic of optimizers, or null on the CPU, where optimizers have their own. */
  default @Nullable InPlaceKernels inPlace() {
    return null;
  }

  /** Applies a function to every element. */
  Tensor unary(Unary function, Tensor x);

  /** Applies a function to pairs of elements; both shapes are broadcast. Both have one type. */
  Tensor binary(Binary function, Tensor a, Tensor b);

  /** Chooses a where the condition is not 0, else b. All are broadcast and have one type. */
  Tensor select(Tensor condition, Tensor a, Tensor b);

  /** Reduces the given dimensions to the extent 1. */
  Tensor reduce(Reduction reduction, Tensor x, int... dims);

  /**
   * Returns where along a dimension the greatest or least element is, the first of equal ones, or
   * the first NaN. The dimension keeps extent 1; it must have elements.
   *
   * @param reduction MAX or MIN
   * @return INT64
   */
  Tensor indexOf(Reduction reduction, Tensor x, int dim);

  /** Returns the sums of all elements up to each along a dimension; backwards: from each on. */
  Tensor cumulate(Tensor x, int dim, boolean backwards);

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
   * Returns x times the transpose of a weight, plus a bias.
   *
   * @param x {@code [rows, in]}
   * @param weight {@code [out, in]}
   * @param bias {@code [out]}
   */
  default Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    return binary(Binary.ADD, matmul(x, false, weight, true), bias);
  }

  /**
   * Multiplies the heads of attention, which are parts of the last dimension: those of a by the
   * transposes of those of b.
   *
   * @param a {@code [N, L, E]}
   * @param b {@code [N, S, E]}
   * @param heads a divisor of E
   * @return {@code [N, heads, L, S]}
   */
  default Tensor headScores(Tensor a, Tensor b, long heads) {
    return matmul(split(a, heads), false, split(b, heads), true);
  }

  /**
   * Multiplies weights by the heads of attention of b.
   *
   * @param weights {@code [N, heads, L, S]}, or {@code [N, heads, S, L]} if they are transposed
   * @param b {@code [N, S, E]}
   * @return {@code [N, L, E]}
   */
  default Tensor headValues(Tensor weights, boolean transpose, Tensor b) {
    Tensor joined =
        permute(matmul(weights, transpose, split(b, weights.shape(1)), false), 0, 2, 1, 3);
    return joined.reshape(joined.shape(0), joined.shape(1), b.shape(2));
  }

  /** Changes {@code [N, L, E]} to {@code [N, heads, L, E / heads]}. */
  private Tensor split(Tensor x, long heads) {
    return permute(x.reshape(x.shape(0), x.shape(1), heads, x.shape(2) / heads), 0, 2, 1, 3);
  }

  /** Joins tensors of one type along a dimension; the other extents are equal. */
  Tensor concat(List<Tensor> parts, int dim);

  /**
   * Takes slices along a dimension: with {@code dim} 1, {@code out[i, j, k] = x[i, index[j], k]}. A
   * negative index takes zeros.
   *
   * @param index INT64, one dimension
   */
  Tensor take(Tensor x, int dim, Tensor index);

  /**
   * The opposite of {@link #take}: zeros, to which slices are added: with {@code dim} 1, {@code
   * out[i, index[j], k] += values[i, j, k]}. A negative index adds nothing.
   *
   * @param extent of the dimension in the result
   */
  Tensor put(Tensor values, int dim, Tensor index, long extent);

  /**
   * Gathers elements along a dimension: with {@code dim} 1, {@code out[i, j, k] = x[i, index[i, j,
   * k], k]}. A negative index gathers 0.
   *
   * @param index INT64, of the rank of x, no larger than x in the other dimensions
   */
  Tensor gather(Tensor x, int dim, Tensor index);

  /**
   * The opposite of {@link #gather}: zeros, to which elements are added: with {@code dim} 1, {@code
   * out[i, index[i, j, k], k] += values[i, j, k]}. A negative index adds nothing.
   *
   * @param index INT64, of the shape of values
   * @param shape of the result
   */
  Tensor scatter(Tensor values, int dim, Tensor index, long... shape);

  /**
   * Lays windows over planes {@code [planes, rows, columns]}: {@code out[p, i * columns.kernel + j,
   * n]} is element (i, j) of window n, 0 where the window reaches beyond the plane.
   */
  Tensor windows(Tensor x, Window rows, Window columns);

  /**
   * The opposite of {@link #windows}: zeros, to which the elements of all windows are added.
   *
   * @param shape of the result, three dimensions
   */
  Tensor addWindows(Tensor values, Window rows, Window columns, long... shape);

  /**
   * Convolves: {@code out[n, o, w]} is the sum over c, i and j of {@code weight[o, c, i, j]} times
   * element (i, j) of window w of the plane {@code a[n, c]}, 0 where the window reaches beyond it.
   * With groups, c runs over the channels of the output's group.
   *
   * @param a {@code [N, C, rows, columns]}
   * @param weight {@code [O, C / groups, filter.rows.kernel, filter.columns.kernel]}
   * @return {@code [N, O, filter.rows.count, filter.columns.count]}
   */
  Tensor convolve(Tensor a, Tensor weight, Filter filter);

  /**
   * Returns the gradients of {@link #convolve} from that of its output.
   *
   * @param ofInput whether that of a is wanted
   * @param ofWeight whether that of the weight is wanted
   * @return both, in this order; null for one that is not wanted
   */
  List<@Nullable Tensor> convolveGradients(
      Tensor a, Tensor weight, Tensor gradOutput, Filter filter, boolean ofInput, boolean ofWeight);

  /**
   * Returns where in its plane {@code [rows * columns]} each window has its greatest element, the
   * first of equal ones or the first NaN; -1 for a window without elements.
   *
   * @return INT64 of shape {@code [planes, windows]}
   */
  Tensor indexOfMax(Tensor x, Window rows, Window columns);
}
