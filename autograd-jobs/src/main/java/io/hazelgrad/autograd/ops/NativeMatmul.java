package io.hazelgrad.autograd.ops;

import static org.bytedeco.openblas.global.openblas_nolapack.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas_nolapack.CblasTrans;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_dgemm;
import static org.bytedeco.openblas.global.openblas_nolapack.cblas_sgemm;

import io.hazelgrad.autograd.ops.Kernels.Extents;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;

/**
 * Matrix products by OpenBLAS, the one that ND4J brings; past ND4J, which takes 20 to 50
 * microseconds around it. Only when a product is large enough: this class loads OpenBLAS.
 *
 * <p>The operands are copied to memory outside the heap and the result back. JavaCPP's calls with
 * arrays copy as well, into memory that is fresh each time.
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
    try (NativeMemory memory = NativeMemory.take(Double.BYTES * e.elements())) {
      DoublePointer left = new DoublePointer(memory.pointer());
      DoublePointer right = left.getPointer(e.left());
      DoublePointer result = right.getPointer(e.right());
      left.put(a, ia, e.left());
      right.put(b, ib, e.right());
      cblas_dgemm(
          CblasRowMajor,
          transposeA ? CblasTrans : CblasNoTrans,
          transposeB ? CblasTrans : CblasNoTrans,
          e.m(),
          e.n(),
          e.k(),
          1,
          left,
          transposeA ? e.m() : e.k(),
          right,
          transposeB ? e.k() : e.n(),
          0,
          result,
          e.n());
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
    try (NativeMemory memory = NativeMemory.take(Float.BYTES * e.elements())) {
      FloatPointer left = new FloatPointer(memory.pointer());
      FloatPointer right = left.getPointer(e.left());
      FloatPointer result = right.getPointer(e.right());
      left.put(a, ia, e.left());
      right.put(b, ib, e.right());
      cblas_sgemm(
          CblasRowMajor,
          transposeA ? CblasTrans : CblasNoTrans,
          transposeB ? CblasTrans : CblasNoTrans,
          e.m(),
          e.n(),
          e.k(),
          1,
          left,
          transposeA ? e.m() : e.k(),
          right,
          transposeB ? e.k() : e.n(),
          0,
          result,
          e.n());
      result.get(out, io, e.result());
    }
  }
}
