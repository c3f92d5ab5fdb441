package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.Tensor;

/**
 * The innermost loops, on arrays of one element type. They get checked arguments only.
 *
 * <p>The JIT compiler makes vector code of a loop only if all its arrays have the same index:
 * otherwise it must fear that an element written is one still to be read. Hence no offsets where
 * speed matters.
 *
 * @param <A> the array of elements
 * @param <C> the array in which reductions collect, which may be wider
 */
interface Kernels<A, C> {
  A allocate(int length);

  A arrayOf(Tensor tensor);

  Tensor tensor(A array, long... shape);

  void unary(Unary function, A x, A out);

  /** Computes {@code out[i]} from {@code a[i]} and {@code b[i]} for i below n. */
  void binary(Binary function, A a, A b, A out, int n);

  /** Writes n copies of {@code x[ix]} from {@code out[io]} on. */
  void fill(A x, int ix, A out, int io, int n);

  /** Copies n elements that lie {@code step} apart. */
  void gather(A x, int ix, int step, A out, int io, int n);

  /** Chooses a[i] where condition[i] is not 0, else b[i], for i below n. */
  void select(A condition, A a, A b, A out, int n);

  /** Adds n elements to n that lie {@code step} apart. */
  void add(A x, int ix, A out, int io, int step, int n);

  /** Writes the sum of the n elements so far, which lie {@code step} apart, to each place. */
  void cumulate(A x, A out, int start, int step, int n);

  /** Whether element i comes before element j: it is greater or less, or NaN and j is not. */
  boolean precedes(Reduction reduction, A x, int i, int j);

  /** Returns {@code length} results of reducing nothing. */
  C accumulators(Reduction reduction, int length);

  /** Folds n elements into one accumulator. */
  void foldAll(Reduction reduction, A x, int ix, C into, int at, int n);

  /** Folds n elements into n accumulators. */
  void foldEach(Reduction reduction, A x, int ix, C into, int at, int n);

  A result(C accumulators);

  /**
   * Multiplies an m x k by a k x n matrix into {@code out}, which is zero before. With {@code
   * transposeA}, a is stored as k x m; likewise b.
   */
  void matmul(
      A a, int ia, boolean transposeA, A b, int ib, boolean transposeB, A out, int io, Extents e);

  /** The extents of a matrix product. */
  record Extents(int m, int k, int n) {
    /** From about so many multiplications on OpenBLAS pays, although it must be loaded once. */
    private static final long MANY = 20_000;

    /** From so many on it is needed: plain Java would take many times as long. */
    private static final long TOO_MANY = 400_000;

    /** Elements of the left operand. */
    int left() {
      return m * k;
    }

    /** Elements of the right operand. */
    int right() {
      return k * n;
    }

    /** Elements of the result. */
    int result() {
      return m * n;
    }

    /** Elements of all three. */
    long elements() {
      return (long) left() + right() + result();
    }

    /**
     * Returns whether this is {@link NativeMatmul}'s: always if it is very large; else if it pays
     * and OpenBLAS is there, which is loaded then. A product with a vector is not: to copy the
     * matrix takes as long.
     */
    boolean areNative() {
      long multiplications = (long) m * k * n;
      return m > 1
          && n > 1
          && multiplications >= MANY
          && (multiplications >= TOO_MANY || OpenBlas.isThere());
    }

    @Override
    public String toString() {
      return "a product of matrices of " + m + " x " + k + " and " + k + " x " + n;
    }
  }
}
