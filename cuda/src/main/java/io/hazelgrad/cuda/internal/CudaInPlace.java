package io.hazelgrad.cuda.internal;

import static io.hazelgrad.cuda.internal.Operands.computing;

import io.hazelgrad.autograd.ops.InPlaceKernels;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Steps of optimizers, many in one launch. Threads: safe. */
final class CudaInPlace implements InPlaceKernels {
  /** The most of one launch, as in kernels.cu. */
  private static final int MOST_STEPS = 24;

  private static final int MOST_VECTORS = 12;
  private static final int VECTORS_OF_STEP = 3;

  private final Gpu gpu;

  CudaInPlace(Gpu gpu) {
    this.gpu = gpu;
  }

  @Override
  public Tensor allocate(DType dtype, long... shape) {
    return gpu.allocate(dtype, Math.toIntExact(Tensor.sizeOf(shape))).tensor(shape);
  }

  @Override
  public void run(List<Step> steps) {
    List<Step> next = new ArrayList<>();
    List<CudaStorage> vectors = new ArrayList<>();
    for (Step step : steps) {
      if (next.size() == MOST_STEPS || vectors.size() > MOST_VECTORS - VECTORS_OF_STEP) {
        launch(next, vectors);
        next.clear();
        vectors.clear();
      }
      next.add(step);
      for (Tensor each : List.of(step.d(), step.x(), step.y())) {
        if (!vectors.contains(each.storage())) {
          vectors.add((CudaStorage) each.storage());
        }
      }
    }
    if (!next.isEmpty()) {
      launch(next, vectors);
    }
  }

  private void launch(List<Step> steps, List<CudaStorage> vectors) {
    int n = vectors.get(0).length();
    Gpu.Launch launch = gpu.launch(computing("steps", vectors.get(0).dtype())).with((long) n);
    for (int i = 0; i < MOST_STEPS; i++) {
      launch.with(i < steps.size() ? steps.get(i).a() : 0.0);
    }
    for (int i = 0; i < MOST_STEPS; i++) {
      launch.with(i < steps.size() ? steps.get(i).b() : 0.0);
    }
    vectors.forEach(launch::with);
    for (int i = vectors.size(); i < MOST_VECTORS; i++) {
      launch.with(0L);
    }
    for (int i = 0; i < MOST_STEPS; i++) {
      launch.with(i < steps.size() ? code(steps.get(i), vectors) : 0);
    }
    launch.with(steps.size()).with(0).over(n);
  }

  /** Returns the function, and the places of its vectors, in one number. */
  @SuppressWarnings("EnumOrdinal") // As in Gpu.Launch: a test compares each with the CPU's.
  private static int code(Step step, List<CudaStorage> vectors) {
    int d = vectors.indexOf(step.d().storage());
    int x = vectors.indexOf(step.x().storage());
    int y = vectors.indexOf(step.y().storage());
    return step.op().ordinal() | d << 8 | x << 16 | y << 24;
  }
}
