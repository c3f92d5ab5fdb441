package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.internal.backend.Term;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Backend.Binary;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** An element-wise operation of two inputs, which are broadcast and promoted to one type. */
public abstract class Pairwise extends AbstractOperation {
  Pairwise(String name, String... attributes) {
    this(name, 2, attributes);
  }

  Pairwise(String name, int minInputs, String... attributes) {
    super(name, minInputs, 2, attributes);
  }

  @Override
  public TensorType type(List<TensorType> inputs, Attributes attributes) {
    long[] shape = ShapeRules.broadcast(name(), inputs.get(0).shape(), inputs.get(1).shape());
    return new TensorType(name(), Promotion.result(inputs), shape);
  }

  public static DType commonType(List<Tensor> inputs) {
    return Promotion.result(types(inputs));
  }

  static Tensor apply(Backend backend, Binary function, List<Tensor> inputs, DType dtype) {
    return backend.binary(function, inputs.get(0).to(dtype), inputs.get(1).to(dtype));
  }

  /** Returns a saved tensor in the type that gradients are computed in. */
  static Term saved(Backend backend, Saved saved, int index, Tensor gradOutput) {
    return new Term(backend, saved.tensors().get(index).to(gradOutput.dtype()));
  }
}
