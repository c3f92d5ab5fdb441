package io.hazelgrad.cuda.internal;

import io.hazelgrad.autograd.ops.FusedKernels;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;

/** Whole layers of FLOAT32, each in one pass over memory. Threads: safe. */
final class CudaLayers implements FusedKernels {
  private final Gpu gpu;
  private final Operands operands;

  CudaLayers(Gpu gpu, Operands operands) {
    this.gpu = gpu;
    this.operands = operands;
  }

  private CudaStorage floats(int length) {
    return gpu.allocate(DType.FLOAT32, length);
  }

  @Override
  public Tensor gelu(Tensor x) {
    CudaStorage out = floats(x.size());
    gpu.launch("gelu").with(out).with(operands.of(x)).with((long) x.size()).over(x.size());
    return out.tensor(x.shape());
  }

  @Override
  public Tensor geluGradient(Tensor gradient, Tensor x) {
    CudaStorage out = floats(x.size());
    gpu.launch("gelu_gradient")
        .with(out)
        .with(operands.of(gradient))
        .with(operands.of(x))
        .with((long) x.size())
        .over(x.size());
    return out.tensor(x.shape());
  }

  @Override
  public Tensor softmax(Tensor x, double scale, boolean causal) {
    int columns = (int) x.shape(-1);
    int matrixRows = x.rank() < 2 ? 1 : (int) x.shape(-2);
    CudaStorage out = floats(x.size());
    gpu.launch("softmax")
        .with(out)
        .with(operands.of(x))
        .with((long) x.size() / columns)
        .with(columns)
        .with((float) scale)
        .with(causal ? matrixRows : 0)
        .start(x.size() / columns);
    return out.tensor(x.shape());
  }

  @Override
  public Tensor softmaxGradient(Tensor gradient, Tensor output, double scale) {
    int columns = (int) output.shape(-1);
    CudaStorage out = floats(output.size());
    gpu.launch("softmax_gradient")
        .with(out)
        .with(operands.of(gradient))
        .with(operands.of(output))
        .with((long) output.size() / columns)
        .with(columns)
        .with((float) scale)
        .start(output.size() / columns);
    return out.tensor(output.shape());
  }

  @Override
  public Normalised normalise(Tensor x, int columns, double eps) {
    int rows = x.size() / columns;
    CudaStorage out = floats(x.size());
    CudaStorage scales = floats(rows);
    gpu.launch("normalise")
        .with(out)
        .with(scales)
        .with(operands.of(x))
        .with((long) rows)
        .with(columns)
        .with((float) eps)
        .start(rows);
    return new Normalised(out.tensor(x.shape()), scales.tensor(rows));
  }

  @Override
  public Tensor affine(Tensor x, Tensor weight, Tensor bias) {
    CudaStorage out = floats(x.size());
    gpu.launch("affine")
        .with(out)
        .with(operands.of(x))
        .with(operands.of(weight))
        .with(operands.of(bias))
        .with((long) x.size())
        .with(weight.size())
        .over(x.size());
    return out.tensor(x.shape());
  }

  @Override
  public Tensor normaliseGradient(Tensor gradient, Normalised normalised, Tensor weight) {
    int columns = weight.size();
    int rows = gradient.size() / columns;
    CudaStorage out = floats(gradient.size());
    gpu.launch("normalise_gradient")
        .with(out)
        .with(operands.of(gradient))
        .with(operands.of(normalised.rows()))
        .with(operands.of(normalised.scales()))
        .with(operands.of(weight))
        .with((long) rows)
        .with(columns)
        .start(rows);
    return out.tensor(gradient.shape());
  }
}
