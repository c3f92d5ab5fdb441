package io.hazelgrad.autograd.internal.backend;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_dgemm;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemm;

import io.hazelgrad.autograd.internal.backend.Kernels.Extents;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;

/**
 * Matrix products by the OpenBLAS library of ND4J, called directly because a call through ND4J takes
 * 20 to 50 microseconds more. Only large products use this class, because it loads OpenBLAS.
 *
 * <p>The operands are copied to memory outside the heap and the result back. JavaCPP's calls with
 * arrays copy as well, into memory that is fresh each time.
 */
final class NativeMatmul {
  private NativeMatmul() {}

  /** One of OpenBLAS's gemms, with 1 and 0 as factors. */
  private interface Gemm<P extends Pointer> {
    void multiply(
        int order,
        int transposeA,
        int transposeB,
        int m,
        int n,
        int k,
        P a,
        int strideA,
        P b,
        int strideB,
        P out,
        int strideOut);
  }

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
    try (ScratchMemory memory = ScratchMemory.take(Double.BYTES * e.elements())) {
      DoublePointer left = new DoublePointer(memory.pointer());
      DoublePointer right = left.getPointer(e.left());
      DoublePointer result = right.getPointer(e.right());
      left.put(a, ia, e.left());
      right.put(b, ib, e.right());
      multiply(
          (order, ta, tb, m, n, k, x, sx, y, sy, z, sz) ->
              cblas_dgemm(order, ta, tb, m, n, k, 1, x, sx, y, sy, 0, z, sz),
          left,
          transposeA,
          right,
          transposeB,
          result,
          e);
      result.get(out, io, e.result());
    }
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
    try (ScratchMemory memory = ScratchMemory.take(Float.BYTES * e.elements())) {
      FloatPointer left = new FloatPointer(memory.pointer());
      FloatPointer right = left.getPointer(e.left());
      FloatPointer result = right.getPointer(e.right());
      left.put(a, ia, e.left());
      right.put(b, ib, e.right());
      multiply(
          (order, ta, tb, m, n, k, x, sx, y, sy, z, sz) ->
              cblas_sgemm(order, ta, tb, m, n, k, 1, x, sx, y, sy, 0, z, sz),
          left,
          transposeA,
          right,
          transposeB,
          result,
          e);
      result.get(out, io, e.result());
    }
  }

  /** Operands lie row by row, whether they are to be transposed or not. */
  private static <P extends Pointer> void multiply(
      Gemm<P> gemm, P left, boolean transposeA, P right, boolean transposeB, P result, Extents e) {
    gemm.multiply(
        CblasRowMajor,
        transposeA ? CblasTrans : CblasNoTrans,
        transposeB ? CblasTrans : CblasNoTrans,
        e.m(),
        e.n(),
        e.k(),
        left,
        transposeA ? e.m() : e.k(),
        right,
        transposeB ? e.k() : e.n(),
        result,
        e.n());
  }
}
