package io.hazelgrad.autograd.internal.ops;

import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.Backend;
import io.hazelgrad.autograd.ops.Operation;
import io.hazelgrad.autograd.ops.Promotion;
import io.hazelgrad.autograd.ops.Saved;
import io.hazelgrad.autograd.ops.TensorType;
import io.hazelgrad.autograd.spi.ShapeRules;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.List;

/** Operations that join tensors. */
public final class Joining {
  private Joining() {}

  public static List<Operation> all() {
    return List.of(new Concat(), new Stack(), new Padding());
  }

  private static List<Tensor> promoted(List<Tensor> inputs) {
    DType dtype = Pairwise.commonType(inputs);
    return inputs.stream().map(x -> x.to(dtype)).toList();
  }

  /** Joins tensors along {@code dim}, by default 0. As in torch, one of shape [0] joins any. */
  private static final class Concat extends AbstractOperation {
    Concat() {
      super("concat", 1, MANY, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType first = first(inputs);
      if (first.rank() == 0) {
        throw bad("takes no scalars: " + inputs);
      }
      int dim = dimOrFirst(first.shape(), attributes);
      long extent = 0;
      for (TensorType input : inputs) {
        if (isNothing(input)) {
          continue;
        }
        boolean fits = input.rank() == first.rank();
        for (int i = 0; fits && i < first.rank(); i++) {
          fits = i == dim || input.extent(i) == first.extent(i);
        }
        if (!fits) {
          throw bad("shapes differ in more than dim=" + dim + ": " + inputs);
        }
        extent += input.extent(dim);
      }
      return new TensorType(
          name(), Promotion.result(inputs), ShapeRules.with(first.shape(), dim, extent));
    }

    private static boolean isNothing(TensorType input) {
      return input.rank() == 1 && input.extent(0) == 0;
    }

    /** Returns the first input that counts. */
    private static TensorType first(List<TensorType> inputs) {
      return inputs.stream().filter(x -> !isNothing(x)).findFirst().orElse(inputs.get(0));
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      TensorType first = first(types(inputs));
      List<Tensor> parts = promoted(inputs);
      if (!isNothing(first)) {
        parts = parts.stream().filter(x -> !isNothing(TensorType.of(x))).toList();
      }
      return Computed.of(backend.concat(parts, dimOrFirst(first.shape(), attributes)));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType own = saved.inputs().get(input);
      if (isNothing(own)) {
        return Tensor.zeros(gradOutput.dtype(), 0);
      }
      int dim = dimOrFirst(first(saved.inputs()).shape(), saved.attributes());
      long start = 0;
      for (TensorType before : saved.inputs().subList(0, input)) {
        start += isNothing(before) ? 0 : before.extent(dim);
      }
      return Indexing.range(backend, gradOutput, dim, start, own.extent(dim));
    }
  }

  /** Tensors of one shape along a new dimension {@code dim}, 0 by default. */
  private static final class Stack extends AbstractOperation {
    Stack() {
      super("stack", 1, MANY, "dim");
    }

    @Override
    public TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType first = inputs.get(0);
      if (!inputs.stream().allMatch(input -> Arrays.equals(input.shape(), first.shape()))) {
        throw bad("shapes differ: " + inputs);
      }
      long[] shape = ShapeRules.withOne(first.shape(), dim(first, attributes));
      shape[dim(first, attributes)] = inputs.size();
      return new TensorType(name(), Promotion.result(inputs), shape);
    }

    private int dim(TensorType first, Attributes attributes) {
      long[] grown = Arrays.copyOf(first.shape(), first.rank() + 1);
      return dimOrFirst(grown, attributes);
    }

    @Override
    public Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      TensorType first = TensorType.of(inputs.get(0));
      int dim = dim(first, attributes);
      long[] shape = ShapeRules.withOne(first.shape(), dim);
      List<Tensor> parts = promoted(inputs).stream().map(part -> part.reshape(shape)).toList();
      return Computed.of(backend.concat(parts, dim));
    }

    @Override
    public Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType own = saved.inputs().get(input);
      int dim = dim(own, saved.attributes());
      return Indexing.range(backend, gradOutput, dim, input, 1).reshape(own.shape());
    }
  }
}
