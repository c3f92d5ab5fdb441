package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.computing;

import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Filter;
import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.autograd.ops.InPlaceKernels;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.ops.Window;
import io.hazelgrad.autograd.spi.ArgumentChecks;
import io.hazelgrad.autograd.spi.ColumnConvolution;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Arithmetic on one GPU, by the kernels of kernels.cu and cuBLAS. Results are on the GPU; operands
 * that lie elsewhere are copied to it. A single number of the host goes with the launch.
 *
 * <p>Methods return when their work is asked for. Reading a result waits for it.
 *
 * <p>Threads: safe.
 */
final class CudaBackend implements Backend {
  private static final Set<Unary> OF_INTEGERS =
      EnumSet.of(Unary.NEG, Unary.ABS, Unary.SIGN, Unary.RELU);
  private static final Set<Binary> OF_FLOATS =
      EnumSet.of(Binary.DIV, Binary.TANH_GRADIENT, Binary.SIGMOID_GRADIENT, Binary.RELU_GRADIENT);

  private final Gpu gpu;
  private final Operands operands;
  private final CudaReductions reductions;
  private final CudaMoves moves;
  private final CudaIndexing indexing;
  private final CudaWindows windows;
  private final CudaProducts products;
  private final CudaLayers layers;
  private final CudaInPlace inPlace;

  CudaBackend(Gpu gpu) {
    this.gpu = gpu;
    this.operands = new Operands(gpu);
    this.reductions = new CudaReductions(gpu, operands);
    this.moves = new CudaMoves(gpu, operands);
    this.indexing = new CudaIndexing(gpu, operands, moves);
    this.windows = new CudaWindows(gpu, operands);
    this.products = new CudaProducts(gpu, operands, moves);
    this.layers = new CudaLayers(gpu, operands);
    this.inPlace = new CudaInPlace(gpu);
  }

  @Override
  public @Nullable FusedKernels fused(DType dtype) {
    return dtype == DType.FLOAT32 ? layers : null;
  }

  @Override
  public InPlaceKernels inPlace() {
    return inPlace;
  }

  @Override
  public Tensor unary(Unary function, Tensor x) {
    check(function, x.dtype(), OF_INTEGERS.contains(function));
    CudaStorage in = operands.working(x);
    CudaStorage out = operands.allocate(x.dtype(), x.size());
    gpu.launch(computing("unary", x.dtype()))
        .with(function)
        .with(out)
        .with(in)
        .with((long) x.size())
        .overPacks(out);
    return operands.narrow(out, x.dtype(), x.shape());
  }

  private static void check(Enum<?> function, DType dtype, boolean ofIntegers) {
    if (!dtype.isFloating() && !ofIntegers) {
      throw OperationErrors.bad(function.name(), "takes floating-point elements only");
    }
  }

  @Override
  public Tensor binary(Binary function, Tensor a, Tensor b) {
    TensorType type = ArgumentChecks.binary(function, a, b);
    check(function, a.dtype(), !OF_FLOATS.contains(function));
    long[] shape = type.shape();
    CudaStorage out = operands.allocate(a.dtype(), type.size());
    if (isNumber(b)) {
      withNumber(function, out, a, b, false);
    } else if (isNumber(a)) {
      withNumber(function, out, b, a, true);
    } else if (a.size() == type.size() && b.size() == type.size()) {
      gpu.launch(computing("binary", a.dtype()))
          .with(function)
          .with(out)
          .with(operands.working(a))
          .with(operands.working(b))
          .with((long) type.size())
          .overPacks(out);
    } else if (a.size() == type.size() && isRepeated(b)) {
      withRepeated(function, out, a, b, false);
    } else if (b.size() == type.size() && isRepeated(a)) {
      withRepeated(function, out, b, a, true);
    } else {
      Walk walk =
          Walk.over(
              shape,
              Walk.repeated(a.shape(), shape.length),
              Walk.repeated(b.shape(), shape.length));
      gpu.launch(computing("binaryw", a.dtype()))
          .with(function)
          .with(out)
          .with(operands.working(a))
          .with(operands.working(b))
          .with((long) type.size())
          .with(walk.struct())
          .over(type.size());
    }
    return operands.narrow(out, a.dtype(), shape);
  }

  /** Returns whether x is a single number that the host has. */
  private static boolean isNumber(Tensor x) {
    return x.size() == 1 && x.device().isOfHost();
  }

  /** Returns whether the elements of x lie along neighbouring dimensions, without a gap of 1s. */
  private static boolean isRepeated(Tensor x) {
    long[] wide = Arrays.stream(x.shape()).dropWhile(extent -> extent == 1).toArray();
    int last = wide.length;
    while (last > 0 && wide[last - 1] == 1) {
      last--;
    }
    return Arrays.stream(wide, 0, last).noneMatch(extent -> extent == 1);
  }

  private void withRepeated(
      Binary function, CudaStorage out, Tensor x, Tensor repeated, boolean first) {
    int trailing = 0;
    while (trailing < repeated.rank() && repeated.shape(-1 - trailing) == 1) {
      trailing++;
    }
    int inner = repeated.size() == 1 ? 1 : CudaMoves.inner(x.shape(), x.rank() - 1 - trailing);
    gpu.launch(computing("binaryr", x.dtype()))
        .with(function)
        .with(out)
        .with(operands.working(x))
        .with(operands.working(repeated))
        .with(first ? 1 : 0)
        .with(inner)
        .with(repeated.size())
        .with((long) out.length())
        .overPacks(out);
  }

  private void withNumber(
      Binary function, CudaStorage out, Tensor x, Tensor number, boolean first) {
    Gpu.Launch launch =
        gpu.launch(computing("number", x.dtype()))
            .with(function)
            .with(out)
            .with(operands.working(x));
    switch (Operands.workingType(x.dtype())) {
      case FLOAT64 -> launch.with(number.storage().getDouble(0));
      case FLOAT32 -> launch.with((float) number.storage().getDouble(0));
      default -> launch.with(number.storage().getLong(0));
    }
    launch.with(first ? 1 : 0).with((long) out.length()).overPacks(out);
  }

  @Override
  public Tensor select(Tensor condition, Tensor a, Tensor b) {
    TensorType type = ArgumentChecks.select(condition, a, b);
    long[] shape = type.shape();
    Walk walk =
        Walk.over(
            shape,
            Walk.repeated(condition.shape(), shape.length),
            Walk.repeated(a.shape(), shape.length),
            Walk.repeated(b.shape(), shape.length));
    CudaStorage out = operands.allocate(a.dtype(), type.size());
    gpu.launch(computing("select", a.dtype()))
        .with(out)
        .with(operands.working(condition))
        .with(operands.working(a))
        .with(operands.working(b))
        .with((long) type.size())
        .with(walk.struct())
        .over(type.size());
    return operands.narrow(out, a.dtype(), shape);
  }

  @Override
  public Tensor reduce(Reduction reduction, Tensor x, int... dims) {
    ArgumentChecks.dims(reduction.name(), x, dims);
    return reductions.reduce(reduction, x, dims);
  }

  @Override
  public Tensor indexOf(Reduction reduction, Tensor x, int dim) {
    TensorType type = ArgumentChecks.indexOf(reduction, x, dim);
    return reductions.indexOf(reduction, x, dim, type);
  }

  @Override
  public Tensor cumulate(Tensor x, int dim, boolean backwards) {
    ArgumentChecks.dims("cumulate", x, dim);
    return reductions.cumulate(x, dim, backwards);
  }

  @Override
  public Tensor expand(Tensor x, long... shape) {
    return moves.expand(x, ArgumentChecks.expand(x, shape));
  }

  @Override
  public Tensor permute(Tensor x, int... dims) {
    return moves.permute(x, ArgumentChecks.permute(x, dims), dims);
  }

  @Override
  public Tensor concat(List<Tensor> parts, int dim) {
    return moves.concat(parts, dim, ArgumentChecks.concat(parts, dim));
  }

  @Override
  public Tensor matmul(Tensor a, boolean transposeA, Tensor b, boolean transposeB) {
    TensorType type = ArgumentChecks.matmul(a, transposeA, b, transposeB);
    return products.matmul(a, transposeA, b, transposeB, type);
  }

  @Override
  public Tensor take(Tensor x, int dim, Tensor index) {
    return indexing.take(x, dim, index, ArgumentChecks.take(x, dim, index));
  }

  @Override
  public Tensor put(Tensor values, int dim, Tensor index, long extent) {
    return indexing.put(values, dim, index, ArgumentChecks.put(values, dim, index, extent));
  }

  @Override
  public Tensor gather(Tensor x, int dim, Tensor index) {
    return indexing.gather(x, dim, index, ArgumentChecks.gather(x, dim, index));
  }

  @Override
  public Tensor scatter(Tensor values, int dim, Tensor index, long... shape) {
    return indexing.scatter(values, dim, index, ArgumentChecks.scatter(values, dim, index, shape));
  }

  @Override
  public Tensor windows(Tensor x, Window rows, Window columns) {
    return windows.windows(x, rows, columns, ArgumentChecks.windows(x, rows, columns));
  }

  @Override
  public Tensor addWindows(Tensor values, Window rows, Window columns, long... shape) {
    TensorType type = ArgumentChecks.addWindows(values, rows, columns, shape);
    return windows.addWindows(values, rows, columns, type);
  }

  @Override
  public Tensor indexOfMax(Tensor x, Window rows, Window columns) {
    return windows.indexOfMax(x, rows, columns, ArgumentChecks.indexOfMax(x, rows, columns));
  }

  @Override
  public Tensor convolve(Tensor a, Tensor weight, Filter filter) {
    return new ColumnConvolution(this, filter, weight).convolve(a);
  }

  @Override
  public List<@Nullable Tensor> convolveGradients(
      Tensor a,
      Tensor weight,
      Tensor gradOutput,
      Filter filter,
      boolean ofInput,
      boolean ofWeight) {
    ColumnConvolution columns = new ColumnConvolution(this, filter, weight);
    return Arrays.asList(
        ofInput ? columns.gradientOfInput(gradOutput, a.shape()) : null,
        ofWeight ? columns.gradientOfWeight(gradOutput, a) : null);
  }
}
