package io.hazelgrad.autograd.internal.catalogue;

import io.hazelgrad.autograd.internal.backend.CpuBackend;
import io.hazelgrad.autograd.internal.ops.Activations;
import io.hazelgrad.autograd.internal.ops.Arithmetic;
import io.hazelgrad.autograd.internal.ops.Comparison;
import io.hazelgrad.autograd.internal.ops.Extremes;
import io.hazelgrad.autograd.internal.ops.Indexing;
import io.hazelgrad.autograd.internal.ops.Joining;
import io.hazelgrad.autograd.internal.ops.MatrixOps;
import io.hazelgrad.autograd.internal.ops.Power;
import io.hazelgrad.autograd.internal.ops.Reductions;
import io.hazelgrad.autograd.internal.ops.Selection;
import io.hazelgrad.autograd.internal.ops.ShapeOps;
import io.hazelgrad.autograd.internal.ops.VectorNorm;
import io.hazelgrad.autograd.internal.ops.network.Attention;
import io.hazelgrad.autograd.internal.ops.network.Correlation;
import io.hazelgrad.autograd.internal.ops.network.DropoutMask;
import io.hazelgrad.autograd.internal.ops.network.Losses;
import io.hazelgrad.autograd.internal.ops.network.Normalisation;
import io.hazelgrad.autograd.internal.ops.network.Pooling;
import io.hazelgrad.autograd.internal.ops.network.RecurrentCells;
import io.hazelgrad.autograd.internal.ops.network.Softmax;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.OperationProvider;
import java.util.List;
import java.util.stream.Stream;

/** Collects the operations of this module; a class with several lists them in {@code all()}. */
public final class BuiltInOperations implements OperationProvider {
  private final Backend backend = new CpuBackend();

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public List<Operation> operations() {
    return Stream.of(
            Arithmetic.all(),
            List.of(new Power(), new VectorNorm(), new DropoutMask()),
            Selection.all(),
            Comparison.all(),
            Activations.all(),
            Softmax.all(),
            Reductions.all(),
            Extremes.all(),
            MatrixOps.all(),
            ShapeOps.all(),
            Joining.all(),
            Indexing.all(),
            Normalisation.all(),
            List.of(new Correlation("conv1d", 1), new Correlation("conv2d", 2)),
            Pooling.all(),
            Attention.all(),
            RecurrentCells.all(),
            Losses.all())
        .<Operation>flatMap(List::stream)
        .toList();
  }
}
