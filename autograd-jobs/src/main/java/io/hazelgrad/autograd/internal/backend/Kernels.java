package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.Backend.Unary;
import io.hazelgrad.grid.NeedsNd4j;
import io.hazelgrad.grid.Tensor;

/**
 * The innermost loops, on arrays of one element type. Callers check the arguments.
 *
 * <p>The JIT compiler makes vector code of a loop only if all its arrays have the same index:
 * otherwise an element written might be one that is read later. So fast loops use no offsets.
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

  /** Copies n elements that lie {@code step} apart; with step 0 one element n times. */
  void gather(A x, int ix, int step, A out, int io, int n);

  /** Chooses a[i] where condition[i] is not 0, else b[i], for i below n. */
  void select(A condition, A a, A b, A out, int n);

  /** Adds n elements to n that lie {@code step} apart. */
  void add(A x, int ix, A out, int io, int step, int n);

  /** Writes the sum of the n elements so far, which lie {@code step} apart, to each place. */
  void cumulate(A x, A out, int start, int step, int n);

  /** Returns whether element i precedes j: it is greater (MAX) or less (MIN), or only i is NaN. */
  boolean precedes(Reduction reduction, A x, int i, int j);

  /** Returns {@code length} results of reducing nothing. */
  C accumulators(Reduction reduction, int length);

  /** Folds n elements into one accumulator. */
  void foldAll(Reduction reduction, A x, int ix, C into, int at, int n);

  /** Folds n elements into n accumulators. */
  void foldEach(Reduction reduction, A x, int ix, C into, int at, int n);

  A result(C accumulators);

  /** Multiplies two matrices into {@code out}, which is zero before. */
  void matmul(A a, int ia, A b, int ib, A out, int io, Product p);

  /**
   * A product of m x k by k x n. With {@code transposeA}, a is stored as k x m; likewise b.
   *
   * @param strideA the distance of the rows of a as it is stored; likewise those of b and the
   *     result
   */
  record Product(
      int m,
      int k,
      int n,
      boolean transposeA,
      boolean transposeB,
      int strideA,
      int strideB,
      int strideOut) {
    /** The multiplications above which OpenBLAS is faster, even if it must be loaded first. */
    private static final long MANY = 20_000;

    /** The multiplications above which OpenBLAS is required: Java takes many times as long. */
    private static final long TOO_MANY = 400_000;

    /** A product of matrices whose rows lie side by side. */
    Product(int m, int k, int n, boolean transposeA, boolean transposeB) {
      this(m, k, n, transposeA, transposeB, transposeA ? m : k, transposeB ? k : n, n);
    }

    /**
     * Runs the product by OpenBLAS: on Java's arrays where that is possible, else on copies.
     *
     * @throws io.hazelgrad.grid.GridException BAD_CONFIG if ND4J cannot be loaded
     */
    void runNatively(Runnable onArrays, Runnable onCopies) {
      boolean unused =
          NeedsNd4j.toDo(
              this,
              () -> {
                OpenBlas.require();
                (PinnedBlas.isThere() ? onArrays : onCopies).run();
                return true;
              });
    }

    /** Returns the number of elements of the left operand. */
    int left() {
      return m * k;
    }

    /** Returns the number of elements of the right operand. */
    int right() {
      return k * n;
    }

    /** Returns the number of elements of the result. */
    int result() {
      return m * n;
    }

    /** Returns the number of elements of all three. */
    long elements() {
      return (long) left() + right() + result();
    }

    /**
     * Returns whether OpenBLAS computes the product: always if it is very large, else if it is
     * large enough and OpenBLAS can be loaded. A product with a vector is computed in Java, since
     * copying the matrix would take as long.
     */
    boolean isNative() {
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
