package io.hazelgrad.autograd.ops;

import io.hazelgrad.autograd.ops.Kernels.Extents;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Matrix products by ND4J, that is, by OpenBLAS. The only class of this package that loads ND4J,
 * and only when a product is large enough.
 *
 * <p>ND4J's gemm wants column-major arrays. A row-major m x n matrix is a column-major n x m one in
 * the same bytes, and (a b)^T = b^T a^T; so it gets the operands swapped and nothing is transposed.
 */
final class NativeMatmul {
  private NativeMatmul() {}

  static void doubles(
      double[] a,
      int ia,
      boolean transposeA,
      double[] b,
      int ib,
      boolean transposeB,
      double[] out,
      int io,
      Extents e) {
    multiply(
        DataType.DOUBLE,
        transposeA,
        transposeB,
        e,
        (left, right) -> {
          new DoublePointer(left).put(a, ia, e.m() * e.k());
          new DoublePointer(right).put(b, ib, e.k() * e.n());
        },
        result -> new DoublePointer(result).get(out, io, e.m() * e.n()));
  }

  static void floats(
      float[] a,
      int ia,
      boolean transposeA,
      float[] b,
      int ib,
      boolean transposeB,
      float[] out,
      int io,
      Extents e) {
    multiply(
        DataType.FLOAT,
        transposeA,
        transposeB,
        e,
        (left, right) -> {
          new FloatPointer(left).put(a, ia, e.m() * e.k());
          new FloatPointer(right).put(b, ib, e.k() * e.n());
        },
        result -> new FloatPointer(result).get(out, io, e.m() * e.n()));
  }

  private static void multiply(
      DataType type,
      boolean transposeA,
      boolean transposeB,
      Extents e,
      BiConsumer<Pointer, Pointer> write,
      Consumer<Pointer> read) {
    INDArray left = matrix(type, e.m(), e.k(), transposeA);
    INDArray right = matrix(type, e.k(), e.n(), transposeB);
    INDArray result = matrix(type, e.m(), e.n(), false);
    try {
      write.accept(left.data().addressPointer(), right.data().addressPointer());
      Nd4j.gemm(right, left, result, transposeB, transposeA, 1, 0);
      read.accept(result.data().addressPointer());
    } finally {
      // At once: ND4J's own cleaning up waits for the garbage collector.
      left.close();
      right.close();
      result.close();
    }
  }

  /**
   * Makes the column-major array with the bytes of a row-major matrix, stored transposed or not.
   */
  private static INDArray matrix(DataType type, long rows, long columns, boolean transposed) {
    long[] shape = transposed ? new long[] {rows, columns} : new long[] {columns, rows};
    return Nd4j.createUninitialized(type, shape, 'f');
  }
}
