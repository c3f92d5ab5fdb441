package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.computing;

import io.hazelgrad.autograd.ops.Backend.Reduction;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;

/** Reductions along dimensions. Their order of sums depends on the shape alone. Threads: safe. */
final class CudaReductions {
  /** The elements in one piece from which a block folds them together. */
  private static final int LEAST_FOR_BLOCK = 64;

  /** The elements that a thread folds at least, if there are more threads than results. */
  private static final int LEAST_PART = 32;

  private static final int WANTED_THREADS = 1 << 16;
  private static final int WANTED_BLOCKS = 128;

  private final Gpu gpu;
  private final Operands operands;

  CudaReductions(Gpu gpu, Operands operands) {
    this.gpu = gpu;
    this.operands = operands;
  }

  Tensor reduce(Reduction reduction, Tensor x, int... dims) {
    long[] shape = x.shape();
    long[] steps = Walk.rows(shape);
    boolean[] reduced = new boolean[shape.length];
    for (int dim : dims) {
      reduced[dim] = true;
    }
    long[] gone = Arrays.stream(dims).sorted().mapToLong(d -> shape[d]).toArray();
    long[] goneSteps = Arrays.stream(dims).sorted().mapToLong(d -> steps[d]).toArray();
    int[] others = ShapeRules.allDims(shape.length);
    others = Arrays.stream(others).filter(d -> !reduced[d]).toArray();
    long[] kept = Arrays.stream(others).mapToLong(d -> shape[d]).toArray();
    long[] keptSteps = Arrays.stream(others).mapToLong(d -> steps[d]).toArray();
    long[] result = ShapeRules.keeping(shape, dims);
    int n = new TensorType(reduction.name(), x.dtype(), result).size();
    CudaStorage folded =
        fold(
            reduction,
            operands.working(x),
            n,
            (int) Tensor.sizeOf(gone),
            Walk.over(kept, keptSteps),
            Walk.over(gone, goneSteps));
    return operands.narrow(folded, x.dtype(), result);
  }

  /** Folds m elements into each of n results. */
  private CudaStorage fold(
      Reduction reduction, CudaStorage in, int n, int m, Walk kept, Walk gone) {
    boolean inOnePiece = gone.rank() == 1 && gone.step(0, 0) == 1;
    boolean isSmall = m <= WANTED_THREADS;
    if (inOnePiece && m >= LEAST_FOR_BLOCK && (isSmall || n >= WANTED_BLOCKS)) {
      CudaStorage out = gpu.allocate(in.dtype(), n);
      gpu.launch(computing("reduceb", in.dtype()))
          .with(reduction)
          .with(out)
          .with(in)
          .with((long) n)
          .with(m)
          .with(kept.struct())
          .with(gone.struct())
          .start(n);
      return out;
    }
    int parts = n == 0 ? 1 : Math.max(1, Math.min(WANTED_THREADS / n, m / LEAST_PART));
    CudaStorage out = gpu.allocate(in.dtype(), n * parts);
    gpu.launch(computing("reduce", in.dtype()))
        .with(reduction)
        .with(out)
        .with(in)
        .with((long) n)
        .with(m)
        .with(parts)
        .with(kept.struct())
        .with(gone.struct())
        .over((long) n * parts);
    // The parts of a result lie n elements apart.
    return parts == 1
        ? out
        : fold(
            reduction,
            out,
            n,
            parts,
            Walk.over(new long[] {n}, new long[] {1}),
            Walk.over(new long[] {parts}, new long[] {n}));
  }

  Tensor indexOf(Reduction reduction, Tensor x, int dim, TensorType type) {
    int n = type.size();
    CudaStorage out = gpu.allocate(DType.INT64, n);
    gpu.launch(computing("indexof", x.dtype()))
        .with(reduction)
        .with(out)
        .with(operands.working(x))
        .with((long) n)
        .with((int) x.shape(dim))
        .with(CudaMoves.inner(x.shape(), dim))
        .over(n);
    return out.tensor(type.shape());
  }

  Tensor cumulate(Tensor x, int dim, boolean backwards) {
    CudaStorage out = operands.allocate(x.dtype(), x.size());
    int n = (int) (x.size() / Math.max(1, x.shape(dim)));
    gpu.launch(computing("cumulate", x.dtype()))
        .with(out)
        .with(operands.working(x))
        .with((long) n)
        .with((int) x.shape(dim))
        .with(CudaMoves.inner(x.shape(), dim))
        .with(backwards ? 1 : 0)
        .over(n);
    return operands.narrow(out, x.dtype(), x.shape());
  }
}
