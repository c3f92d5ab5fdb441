package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Products of matrices: by cuBLAS, of integers by a kernel. Threads: safe. */
final class CudaProducts {
  private final Gpu gpu;
  private final Operands operands;
  private final CudaMoves moves;

  CudaProducts(Gpu gpu, Operands operands, CudaMoves moves) {
    this.gpu = gpu;
    this.operands = operands;
    this.moves = moves;
  }

  Tensor matmul(Tensor a, boolean transposeA, Tensor b, boolean transposeB, TensorType type) {
    long[] batchA = Arrays.copyOf(a.shape(), a.rank() - 2);
    long[] batchB = Arrays.copyOf(b.shape(), b.rank() - 2);
    long[] batch = Arrays.copyOf(type.shape(), type.rank() - 2);
    long m = type.extent(type.rank() - 2);
    long k = a.shape(transposeA ? -2 : -1);
    long n = type.extent(type.rank() - 1);
    CudaStorage out = operands.allocate(a.dtype(), type.size());
    if (type.size() == 0 || k == 0) {
      gpu.clear(out);
      return operands.narrow(out, a.dtype(), type.shape());
    }
    int count = (int) Tensor.sizeOf(batch);
    if (!transposeA && Tensor.sizeOf(batchB) == 1) {
      // Many matrices times one are one tall matrix times one.
      m *= count;
      count = 1;
    }
    Tensor left = repeated(a, batchA, batch);
    Tensor right = repeated(b, batchB, batch);
    Driver.Product product =
        new Driver.Product(
            out.dtype() == DType.FLOAT64,
            (int) m,
            (int) k,
            (int) n,
            transposeA,
            transposeB,
            left.size() == m * k ? 0 : m * k,
            right.size() == k * n ? 0 : k * n,
            count);
    multiply(product, operands.working(left), operands.working(right), out);
    return operands.narrow(out, a.dtype(), type.shape());
  }

  /** Returns x with a matrix for each of a batch, or with its only one. */
  private Tensor repeated(Tensor x, long[] own, long[] batch) {
    if (Tensor.sizeOf(own) == 1 || Tensor.sizeOf(own) == Tensor.sizeOf(batch)) {
      return x;
    }
    long[] shape = ShapeRules.matrices(batch, x.shape(-2), x.shape(-1));
    return moves.expand(x, new TensorType("matmul", x.dtype(), shape));
  }

  private void multiply(Driver.Product p, CudaStorage a, CudaStorage b, CudaStorage out) {
    if (out.dtype() == DType.INT64) {
      gpu.launch("matmul_l")
          .with(out)
          .with(a)
          .with(b)
          .with((long) out.length())
          .with(p.m())
          .with(p.k())
          .with(p.n())
          .with(p.transposeA() ? 1 : 0)
          .with(p.transposeB() ? 1 : 0)
          .with(p.strideA())
          .with(p.strideB())
          .over(out.length());
    } else {
      gpu.multiply(p, a, b, out);
    }
  }
}
