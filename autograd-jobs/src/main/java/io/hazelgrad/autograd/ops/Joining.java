package io.hazelgrad.autograd.ops;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Operations that put tensors together, or something around one. */
final class Joining {
  private Joining() {}

  static List<Operation> all() {
    return List.of(new Concat(), new Stack(), new Pad());
  }

  private static List<Tensor> promoted(List<Tensor> inputs) {
    DType dtype = Pairwise.commonType(inputs);
    return inputs.stream().map(x -> x.to(dtype)).toList();
  }

  /**
   * All tensors in a row along {@code dim}, 0 by default; the other extents are equal. A tensor of
   * shape [0] joins any, as in torch.
   */
  private static final class Concat extends AbstractOperation {
    Concat() {
      super("concat", 1, MANY, "dim");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType first = first(inputs);
      if (first.rank() == 0) {
        throw bad("takes no scalars: " + inputs);
      }
      int dim = dim(first, attributes);
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
          name(), Promotion.result(inputs), Shapes.with(first.shape(), dim, extent));
    }

    private static boolean isNothing(TensorType input) {
      return input.rank() == 1 && input.extent(0) == 0;
    }

    /** Returns the first input that counts. */
    private static TensorType first(List<TensorType> inputs) {
      return inputs.stream().filter(x -> !isNothing(x)).findFirst().orElse(inputs.get(0));
    }

    private int dim(TensorType first, Attributes attributes) {
      return Shapes.dim(name(), "dim", attributes.integer(name(), "dim", 0), first.shape());
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      List<TensorType> types = inputs.stream().map(TensorType::of).toList();
      TensorType first = first(types);
      List<Tensor> parts = promoted(inputs);
      if (!isNothing(first)) {
        parts = parts.stream().filter(x -> !isNothing(TensorType.of(x))).toList();
      }
      return Computed.of(backend.concat(parts, dim(first, attributes)));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType own = saved.inputs().get(input);
      if (isNothing(own)) {
        return Tensor.zeros(gradOutput.dtype(), 0);
      }
      int dim = dim(first(saved.inputs()), saved.attributes());
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
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType first = inputs.get(0);
      for (TensorType input : inputs) {
        if (!Arrays.equals(input.shape(), first.shape())) {
          throw bad("shapes differ: " + inputs);
        }
      }
      long[] shape = Shapes.withOne(first.shape(), dim(first, attributes));
      shape[dim(first, attributes)] = inputs.size();
      return new TensorType(name(), Promotion.result(inputs), shape);
    }

    private int dim(TensorType first, Attributes attributes) {
      long[] grown = Arrays.copyOf(first.shape(), first.rank() + 1);
      return Shapes.dim(name(), "dim", attributes.integer(name(), "dim", 0), grown);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      TensorType first = TensorType.of(inputs.get(0));
      int dim = dim(first, attributes);
      List<Tensor> parts = new ArrayList<>();
      for (Tensor part : promoted(inputs)) {
        parts.add(part.reshape(Shapes.withOne(first.shape(), dim)));
      }
      return Computed.of(backend.concat(parts, dim));
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      TensorType own = saved.inputs().get(input);
      int dim = dim(own, saved.attributes());
      return Indexing.range(backend, gradOutput, dim, input, 1).reshape(own.shape());
    }
  }

  /**
   * Puts {@code value} around a tensor: {@code pad} says how many before and after in the last
   * dimension, then in the one before it, and so on. Negative ones cut off.
   */
  private static final class Pad extends AbstractOperation {
    Pad() {
      super("pad", 1, 1, "pad", "value", "mode");
    }

    @Override
    TensorType type(List<TensorType> inputs, Attributes attributes) {
      TensorType input = inputs.get(0);
      long[] pad = attributes.integers(name(), "pad");
      if (pad == null || pad.length % 2 != 0 || pad.length / 2 > input.rank()) {
        throw bad("takes pairs, at most one for each dimension: " + attributes + " for " + input);
      }
      String mode = attributes.text(name(), "mode", "constant");
      if (!mode.equals("constant")) {
        throw bad("mode=" + mode + " must be constant");
      }
      double unused = attributes.number(name(), "value", 0);
      long[] shape = input.shape();
      for (int i = 0; i < pad.length; i += 2) {
        int dim = input.rank() - 1 - i / 2;
        if (Math.max(Math.abs(pad[i]), Math.abs(pad[i + 1])) > Integer.MAX_VALUE
            || shape[dim] + Math.min(pad[i], 0) + Math.min(pad[i + 1], 0) < 0) {
          throw bad("pad=" + Arrays.toString(pad) + " is out of bounds for " + input);
        }
        shape[dim] += pad[i] + pad[i + 1];
      }
      return new TensorType(name(), input.dtype(), shape);
    }

    @Override
    Computed compute(Backend backend, List<Tensor> inputs, Attributes attributes) {
      Tensor x = inputs.get(0);
      Tensor value = Tensor.full(x.dtype(), attributes.number(name(), "value", 0));
      for (int dim = 0; dim < x.rank(); dim++) {
        long before = pad(attributes, x.rank(), dim, 0);
        long after = pad(attributes, x.rank(), dim, 1);
        long kept = x.shape(dim) + Math.min(before, 0) + Math.min(after, 0);
        List<Tensor> parts =
            List.of(
                backend.expand(value, Shapes.with(x.shape(), dim, Math.max(before, 0))),
                Indexing.range(backend, x, dim, Math.max(-before, 0), kept),
                backend.expand(value, Shapes.with(x.shape(), dim, Math.max(after, 0))));
        x = before == 0 && after == 0 ? x : backend.concat(parts, dim);
      }
      return Computed.of(x);
    }

    /** Returns how many elements a dimension gets before (side 0) or after (side 1). */
    private long pad(Attributes attributes, int rank, int dim, int side) {
      long[] pad = attributes.integers(name(), "pad");
      int at = 2 * (rank - 1 - dim) + side;
      return pad == null || at >= pad.length ? 0 : pad[at];
    }

    @Override
    Tensor gradient(Backend backend, Saved saved, Tensor gradOutput, int input) {
      long[] shape = saved.inputs().get(0).shape();
      Tensor g = gradOutput;
      for (int dim = 0; dim < shape.length; dim++) {
        long before = pad(saved.attributes(), shape.length, dim, 0);
        long after = pad(saved.attributes(), shape.length, dim, 1);
        if (before != 0 || after != 0) {
          // Element i of the input became element i + before, unless it was cut off.
          long first = Math.max(0, -before);
          long kept = shape[dim] - first + Math.min(after, 0);
          Tensor own = Indexing.range(backend, g, dim, Math.max(before, 0), kept);
          g = Indexing.within(backend, own, dim, first, shape[dim]);
        }
      }
      return g;
    }
  }
}
