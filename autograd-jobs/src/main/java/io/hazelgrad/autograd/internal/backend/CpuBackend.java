package io.hazelgrad.autograd.internal.backend;

import io.hazelgrad.autograd.internal.backend.Kernels.Product;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.autograd.spi.ArgumentChecks;
import io.hazelgrad.autograd.spi.ColumnConvolution;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic on the CPU: loops in plain Java, OpenBLAS for all but small matrix products, and
 * ND4J's oneDNN for large convolutions.
 *
 * <p>Threads: safe, since it has no state.
 */
public final class CpuBackend implements Backend {
  private static final DoubleKernels DOUBLES = new DoubleKernels();
  private static final FloatKernels FLOATS = new FloatKernels();
  private static final FloatLayers FLOAT_LAYERS = new FloatLayers();
  private static final LongKernels LONGS = new LongKernels();

  @Override
  public @Nullable FusedKernels fused(DType dtype) {
    return dtype == DType.FLOAT32 ? FLOAT_LAYERS : null;
  }

  @Override
  public Tensor unary(Unary function, Tensor x) {
    return narrow(unary(kernels(x), function, working(x)), x.dtype());
  }

  private static <A, C> Tensor unary(Kernels<A, C> kernels, Unary function, Tensor x) {
    A out = kernels.allocate(x.size());
    kernels.unary(function, kernels.arrayOf(x), out);
    return kernels.tensor(out, x.shape());
  }

  @Override
  public Tensor binary(Binary function, Tensor a, Tensor b) {
    TensorType type = ArgumentChecks.binary(function, a, b);
    return narrow(binary(kernels(a), function, working(a), working(b), type), a.dtype());
  }

  private static <A, C> Tensor binary(
      Kernels<A, C> kernels, Binary function, Tensor a, Tensor b, TensorType type) {
    // The loops use one index for all arrays, so broadcast operands are expanded first.
    A left = expanded(kernels, a, type);
    A right = expanded(kernels, b, type);
    A out =
        a.size() < type.size()
            ? left
            : b.size() < type.size() ? right : kernels.allocate(type.size());
    kernels.binary(function, left, right, out, type.size());
    return kernels.tensor(out, type.shape());
  }

  /** Returns the elements in that shape: those of x itself, or a copy that repeats them. */
  private static <A, C> A expanded(Kernels<A, C> kernels, Tensor x, TensorType type) {
    long[] strides = BroadcastWalk.broadcastStrides(x.shape(), type.rank());
    return kernels.arrayOf(x.size() == type.size() ? x : rearrange(x, strides, type));
  }

  @Override
  public Tensor reduce(Reduction reduction, Tensor x, int... dims) {
    ArgumentChecks.dims(reduction.name(), x, dims);
    TensorType type =
        new TensorType(reduction.name(), x.dtype(), ShapeRules.keeping(x.shape(), dims));
    return narrow(reduce(kernels(x), reduction, working(x), type), x.dtype());
  }

  private static <A, C> Tensor reduce(
      Kernels<A, C> kernels, Reduction reduction, Tensor x, TensorType type) {
    BroadcastWalk walk = walk(x.shape(), x.shape(), type.shape());
    int n = walk.length();
    if (reduction == Reduction.SUM
        && kernels == FLOATS
        && walk.sumsColumns()
        && ColumnSums.pays(n)) {
      float[] sums = ColumnSums.of(FLOATS.arrayOf(x), n);
      return FLOATS.tensor(sums, type.shape());
    }
    A in = kernels.arrayOf(x);
    C accumulators = kernels.accumulators(reduction, type.size());
    if (walk.stepB() == 0) {
      walk.forEachRun((ix, at) -> kernels.foldAll(reduction, in, ix, accumulators, at, n));
    } else {
      walk.forEachRun((ix, at) -> kernels.foldEach(reduction, in, ix, accumulators, at, n));
    }
    return kernels.tensor(kernels.result(accumulators), type.shape());
  }

  @Override
  public Tensor expand(Tensor x, long... shape) {
    TensorType type = ArgumentChecks.expand(x, shape);
    if (x.hasShape(shape)) {
      return x;
    }
    long[] strides = BroadcastWalk.broadcastStrides(x.shape(), shape.length);
    return rearrange(x, strides, type);
  }

  @Override
  public Tensor permute(Tensor x, int... dims) {
    TensorType type = ArgumentChecks.permute(x, dims);
    long[] from = BroadcastWalk.broadcastStrides(x.shape(), x.rank());
    long[] strides = Arrays.stream(dims).mapToLong(d -> from[d]).toArray();
    return rearrange(x, strides, type);
  }

  /** Copies the elements of x that a walk with the given strides meets. */
  private static Tensor rearrange(Tensor x, long[] strides, TensorType type) {
    BroadcastWalk walk = new BroadcastWalk(type.shape(), strides, new long[type.rank()]);
    int n = walk.length();
    Output next = new Output();
    return pack(
        x, type, run -> walk.forEachRun((ix, unused) -> run.at(next.take(n), ix, walk.stepA(), n)));
  }

  private static Tensor pack(Tensor x, TensorType type, Consumer<Moves.Run> runs) {
    return narrow(Moves.pack(kernels(x), working(x), type, runs), x.dtype());
  }

  private static Tensor spread(Tensor values, TensorType type, Consumer<Moves.Run> runs) {
    return narrow(Moves.spread(kernels(values), working(values), type, runs), values.dtype());
  }

  @Override
  public Tensor matmul(Tensor a, boolean transposeA, Tensor b, boolean transposeB) {
    TensorType type = ArgumentChecks.matmul(a, transposeA, b, transposeB);
    long[] batchA = Arrays.copyOf(a.shape(), a.rank() - 2);
    long[] batchB = Arrays.copyOf(b.shape(), b.rank() - 2);
    long m = type.extent(type.rank() - 2);
    long k = a.shape(transposeA ? -2 : -1);
    long n = type.extent(type.rank() - 1);
    if (type.size() == 0 || k == 0) {
      return Tensor.zeros(type.dtype(), type.shape());
    }
    boolean oneMatrix = !transposeA && Tensor.sizeOf(batchB) == 1;
    // Many matrices times one are one tall matrix times one.
    int rows = (int) (oneMatrix ? a.size() / k : m);
    Product p = new Product(rows, (int) k, (int) n, transposeA, transposeB);
    BroadcastWalk walk =
        oneMatrix
            ? walk(new long[0], new long[0], new long[0])
            : walk(Arrays.copyOf(type.shape(), type.rank() - 2), batchA, batchB);
    return narrow(matmul(kernels(a), working(a), working(b), walk, p, type), a.dtype());
  }

  private static <A, C> Tensor matmul(
      Kernels<A, C> kernels, Tensor a, Tensor b, BroadcastWalk walk, Product p, TensorType type) {
    A left = kernels.arrayOf(a);
    A right = kernels.arrayOf(b);
    A out = kernels.allocate(type.size());
    Output next = new Output();
    walk.forEachRun(
        (matrixA, matrixB) -> {
          for (int i = 0; i < walk.length(); i++) {
            int ia = (matrixA + i * walk.stepA()) * p.left();
            int ib = (matrixB + i * walk.stepB()) * p.right();
            kernels.matmul(left, ia, right, ib, out, next.take(p.result()), p);
          }
        });
    return kernels.tensor(out, type.shape());
  }

  @Override
  public Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    TensorType type = ArgumentChecks.linear(x, weight, bias);
    Product p = new Product((int) x.shape(0), (int) x.shape(1), (int) type.extent(1), false, true);
    return FloatProducts.fit(x.dtype(), p)
        ? FloatProducts.linear(x, weight, bias, type, p)
        : Backend.super.linear(x, weight, bias);
  }

  @Override
  public Tensor headScores(Tensor a, Tensor b, long heads) {
    TensorType type = ArgumentChecks.headScores(a, b, heads);
    Product p = FloatProducts.scores(a, b, (int) heads);
    return FloatProducts.fit(a.dtype(), p)
        ? FloatProducts.headScores(a, b, type, p)
        : Backend.super.headScores(a, b, heads);
  }

  @Override
  public Tensor headValues(Tensor weights, boolean transpose, Tensor b) {
    TensorType type = ArgumentChecks.headValues(weights, transpose, b);
    Product p = FloatProducts.values(weights, transpose, b);
    return FloatProducts.fit(b.dtype(), p)
        ? FloatProducts.headValues(weights, b, type, p)
        : Backend.super.headValues(weights, transpose, b);
  }

  @Override
  public Tensor select(Tensor condition, Tensor a, Tensor b) {
    long[] shape = ArgumentChecks.select(condition, a, b).shape();
    Tensor conditions = working(expand(condition, shape));
    Tensor selected =
        select(kernels(a), conditions, working(expand(a, shape)), working(expand(b, shape)));
    return narrow(selected, a.dtype());
  }

  private static <A, C> Tensor select(Kernels<A, C> kernels, Tensor condition, Tensor a, Tensor b) {
    A out = kernels.allocate(a.size());
    A conditions = kernels.arrayOf(condition);
    kernels.select(conditions, kernels.arrayOf(a), kernels.arrayOf(b), out, a.size());
    return kernels.tensor(out, a.shape());
  }

  @Override
  public Tensor indexOf(Reduction reduction, Tensor x, int dim) {
    TensorType type = ArgumentChecks.indexOf(reduction, x, dim);
    return CpuIndexing.indexOf(kernels(x), reduction, working(x), dim, type);
  }

  @Override
  public Tensor cumulate(Tensor x, int dim, boolean backwards) {
    ArgumentChecks.dims("cumulate", x, dim);
    return narrow(CpuIndexing.cumulate(kernels(x), working(x), dim, backwards), x.dtype());
  }

  @Override
  public Tensor concat(List<Tensor> parts, int dim) {
    TensorType type = ArgumentChecks.concat(parts, dim);
    Tensor first = parts.get(0);
    List<Tensor> working = parts.stream().map(CpuBackend::working).toList();
    return narrow(CpuIndexing.concat(kernels(first), working, dim, type), first.dtype());
  }

  @Override
  public Tensor take(Tensor x, int dim, Tensor index) {
    TensorType type = ArgumentChecks.take(x, dim, index);
    return pack(x, type, run -> CpuIndexing.forEachSlice(x.shape(), type.shape(), dim, index, run));
  }

  @Override
  public Tensor put(Tensor values, int dim, Tensor index, long extent) {
    TensorType type = ArgumentChecks.put(values, dim, index, extent);
    return spread(
        values,
        type,
        run -> CpuIndexing.forEachSlice(type.shape(), values.shape(), dim, index, run));
  }

  @Override
  public Tensor gather(Tensor x, int dim, Tensor index) {
    TensorType type = ArgumentChecks.gather(x, dim, index);
    return pack(x, type, run -> CpuIndexing.forEachElement(x.shape(), dim, index, run));
  }

  @Override
  public Tensor scatter(Tensor values, int dim, Tensor index, long... shape) {
    TensorType type = ArgumentChecks.scatter(values, dim, index, shape);
    return spread(values, type, run -> CpuIndexing.forEachElement(shape, dim, index, run));
  }

  @Override
  public Tensor windows(Tensor x, Window rows, Window columns) {
    TensorType type = ArgumentChecks.windows(x, rows, columns);
    return pack(x, type, run -> CpuWindows.forEachElement(x.shape(), rows, columns, run));
  }

  @Override
  public Tensor addWindows(Tensor values, Window rows, Window columns, long... shape) {
    TensorType type = ArgumentChecks.addWindows(values, rows, columns, shape);
    return spread(values, type, run -> CpuWindows.forEachElement(shape, rows, columns, run));
  }

  @Override
  public Tensor indexOfMax(Tensor x, Window rows, Window columns) {
    TensorType type = ArgumentChecks.indexOfMax(x, rows, columns);
    return CpuWindows.indexOfMax(kernels(x), working(x), rows, columns, type);
  }

  @Override
  public Tensor convolve(Tensor a, Tensor weight, Filter filter) {
    return CpuConvolution.isNative(a, weight, filter)
        ? NativeConvolution.convolve(a, weight, filter)
        : new ColumnConvolution(this, filter, weight).convolve(a);
  }

  @Override
  public List<@Nullable Tensor> convolveGradients(
      Tensor a,
      Tensor weight,
      Tensor gradOutput,
      Filter filter,
      boolean ofInput,
      boolean ofWeight) {
    List<@Nullable Tensor> gradients = new ArrayList<>(2);
    boolean isAny = ofInput || ofWeight; // ND4J gives both, and for the bias alone neither is due.
    if (!isAny || !CpuConvolution.isNative(a, weight, filter)) {
      ColumnConvolution columns = new ColumnConvolution(this, filter, weight);
      gradients.add(ofInput ? columns.gradientOfInput(gradOutput, a.shape()) : null);
      gradients.add(ofWeight ? columns.gradientOfWeight(gradOutput, a) : null);
      return gradients;
    }
    CpuConvolution.checkGradient(gradOutput, a, weight, filter);
    gradients.addAll(NativeConvolution.gradients(a, weight, gradOutput, filter));
    return gradients;
  }

  private static BroadcastWalk walk(long[] shape, long[] a, long[] b) {
    return new BroadcastWalk(
        shape,
        BroadcastWalk.broadcastStrides(a, shape.length),
        BroadcastWalk.broadcastStrides(b, shape.length));
  }

  /** Returns the element type that is computed with: FLOAT64, FLOAT32 or INT64. */
  private static DType workingType(DType dtype) {
    return switch (dtype) {
      case FLOAT64 -> DType.FLOAT64;
      case FLOAT32, FLOAT16, BFLOAT16 -> DType.FLOAT32;
      case INT64, INT32, INT16, INT8, UINT8, BOOL -> DType.INT64;
    };
  }

  private static Tensor working(Tensor x) {
    return x.to(workingType(x.dtype()));
  }

  private static Kernels<?, ?> kernels(Tensor x) {
    DType type = workingType(x.dtype());
    return type == DType.FLOAT64 ? DOUBLES : type == DType.FLOAT32 ? FLOATS : LONGS;
  }

  /** Converts back; integers lose their upper bits, as in Java. */
  private static Tensor narrow(Tensor x, DType dtype) {
    if (x.dtype() != DType.INT64 || dtype == DType.INT64 || dtype == DType.BOOL) {
      return x.to(dtype);
    }
    long[] values = x.toLongs();
    for (int i = 0; i < values.length; i++) {
      values[i] = (int) values[i];
    }
    return Tensor.wrap(values, x.shape()).to(dtype);
  }

  /** The write position in an output that is written from front to back. */
  private static final class Output {
    private int position;

    int take(int count) {
      int start = position;
      position += count;
      return start;
    }
  }
}
