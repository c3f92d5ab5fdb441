package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Operators of ONNX on shapes, products of matrices, and tensors that a model makes. */
final class ShapeOperators {
  /** The most elements of a tensor whose shape is computed by the model. */
  private static final long MAX_MADE = 1 << 26;

  private ShapeOperators() {}

  static void addTo(Map<String, Operator> all) {
    all.put("MatMul", Operator.named(2, "matmul"));
    all.put("Gemm", Operator.of(2, 3, ShapeOperators::gemm));
    all.put("Reshape", Operator.of(1, 2, ShapeOperators::reshape));
    all.put("Flatten", Operator.of(1, ShapeOperators::flatten));
    all.put("Transpose", Operator.of(1, ShapeOperators::transpose));
    all.put("Squeeze", Operator.of(1, 2, ShapeOperators::squeeze));
    all.put("Unsqueeze", Operator.of(1, 2, ShapeOperators::unsqueeze));
    all.put("Concat", Operator.of(1, Integer.MAX_VALUE, ShapeOperators::concat));
    all.put("Split", new Operator(1, 2, Integer.MAX_VALUE, ShapeOperators::split));
    all.put("Expand", Operator.of(2, ShapeOperators::expand));
    all.put("Tile", Operator.of(2, ShapeOperators::tile));
    all.put("Pad", Operator.of(1, 4, ShapeOperators::pad));
    all.put("Shape", Operator.of(1, ShapeOperators::shape));
    all.put(
        "Size",
        Operator.of(
            1,
            node ->
                x -> Variable.of(Tensor.full(DType.INT64, node.required(0, x).value().size()))));
    all.put("Constant", Operator.of(0, ShapeOperators::constant));
    all.put("ConstantOfShape", Operator.of(1, ShapeOperators::filled));
    all.put("Range", Operator.of(3, ShapeOperators::range));
  }

  private static OnnxKernel.Single gemm(OnnxNode node) {
    double alpha = node.number("alpha", 1);
    double beta = node.number("beta", 1);
    boolean transA = node.flag("transA", false);
    boolean transB = node.flag("transB", false);
    return x -> {
      Variable a = node.required(0, x);
      Variable b = node.required(1, x);
      if (a.value().rank() != 2 || b.value().rank() != 2) {
        throw node.bad("takes matrices, got " + a.value() + " and " + b.value());
      }
      Variable bias = OnnxNode.optional(2, x);
      Variable left = transA ? a.transpose(0, 1) : a;
      if (transB && alpha == 1 && beta == 1 && bias != null && bias.value().rank() == 1) {
        return left.linear(b, bias);
      }
      Variable product = left.matmul(transB ? b.transpose(0, 1) : b);
      product = alpha == 1 ? product : product.mul(Ops.number(product, alpha));
      if (bias == null) {
        return product;
      }
      return product.add(beta == 1 ? bias : bias.mul(Ops.number(bias, beta)));
    };
  }

  private static OnnxKernel.Single reshape(OnnxNode node) {
    boolean zeros = node.flag("allowzero", false);
    return x -> {
      Variable input = node.required(0, x);
      long[] shape = node.integers("shape", 1, x);
      if (shape == null) {
        throw node.bad("lacks its shape");
      }
      for (int i = 0; i < shape.length; i++) {
        if (shape[i] == 0 && !zeros) {
          shape[i] = input.value().shape(node.dim(i, input.value().rank()));
        }
      }
      return input.reshape(shape);
    };
  }

  private static OnnxKernel.Single flatten(OnnxNode node) {
    long axis = node.integer("axis", 1);
    return x -> {
      Variable input = node.required(0, x);
      long[] shape = input.value().shape();
      long dim = axis < 0 ? axis + shape.length : axis;
      if (dim < 0 || dim > shape.length) {
        throw node.bad("has axis=" + axis + " for " + input.value());
      }
      long rows = LongStream.of(shape).limit(dim).reduce(1, (a, b) -> a * b);
      long columns = LongStream.of(shape).skip(dim).reduce(1, (a, b) -> a * b);
      return input.reshape(rows, columns);
    };
  }

  private static OnnxKernel.Single transpose(OnnxNode node) {
    long[] given = node.integers("perm");
    return x -> {
      Variable input = node.required(0, x);
      int rank = input.value().rank();
      long[] order =
          given == null ? LongStream.range(0, rank).map(dim -> rank - 1 - dim).toArray() : given;
      return Ops.permute(input, order);
    };
  }

  private static OnnxKernel.Single squeeze(OnnxNode node) {
    return x -> {
      Variable input = node.required(0, x);
      long[] axes = node.integers("axes", 1, x);
      return axes == null
          ? Variable.apply("squeeze", input)
          : Ops.squeeze(input, node.dims(axes, input.value().rank()));
    };
  }

  private static OnnxKernel.Single unsqueeze(OnnxNode node) {
    return x -> {
      Variable y = node.required(0, x);
      long[] axes = node.integers("axes", 1, x);
      if (axes == null || axes.length + y.value().rank() > Tensor.MAX_RANK) {
        throw node.bad("has the axes " + Arrays.toString(axes));
      }
      long[] sorted = node.dims(axes, y.value().rank() + axes.length);
      Arrays.sort(sorted);
      for (long axis : sorted) {
        y = Ops.unsqueeze(y, axis);
      }
      return y;
    };
  }

  private static OnnxKernel.Single concat(OnnxNode node) {
    Attributes dim = Attributes.of("dim", node.integer("axis", 0));
    return x -> OnnxKernel.apply("concat", dim, node, x);
  }

  private static OnnxKernel split(OnnxNode node) {
    long axis = node.integer("axis", 0);
    int parts = node.outputs();
    return x -> {
      Variable input = node.required(0, x);
      int dim = node.dim(axis, input.value().rank());
      long extent = input.value().rank() == 0 ? 0 : input.value().shape(dim);
      long[] sizes = node.integers("split", 1, x);
      if (sizes == null) {
        sizes = new long[parts];
        long each = (extent + parts - 1) / parts;
        for (int i = 0; i < parts; i++) {
          sizes[i] = Math.max(0, Math.min(each, extent - i * each));
        }
      }
      if (sizes.length < parts
          || Arrays.stream(sizes).anyMatch(size -> size < 0 || size > extent)
          || Arrays.stream(sizes).sum() != extent) {
        throw node.bad("cannot split " + extent + " into " + Arrays.toString(sizes));
      }
      List<Variable> results = new ArrayList<>();
      long at = 0;
      for (int i = 0; i < parts; i++) {
        results.add(Ops.range(input, dim, at, at + sizes[i]));
        at += sizes[i];
      }
      return results;
    };
  }

  private static OnnxKernel.Single expand(OnnxNode node) {
    return x -> {
      Variable input = node.required(0, x);
      long[] wanted = node.integers(node.required(1, x));
      long[] own = input.value().shape();
      int rank = Math.max(wanted.length, own.length);
      long[] shape = new long[rank];
      for (int i = 0; i < rank; i++) {
        long a = extent(own, i, rank);
        long b = extent(wanted, i, rank);
        shape[i] = a == 1 ? b : a;
        if (a != 1 && b != 1 && a != b) {
          throw node.bad("cannot expand " + input.value() + " to " + Arrays.toString(wanted));
        }
      }
      requireSmall(node, shape);
      return Variable.apply("expand", Attributes.of("shape", shape), input);
    };
  }

  private static long extent(long[] shape, int dim, int rank) {
    int own = dim - rank + shape.length;
    return own < 0 ? 1 : shape[own];
  }

  private static void requireSmall(OnnxNode node, long... shape) {
    double elements = 1;
    for (long extent : shape) {
      elements *= extent;
      if (extent < 0) {
        throw node.bad("makes the shape " + Arrays.toString(shape));
      }
    }
    if (shape.length > Tensor.MAX_RANK || elements > MAX_MADE) {
      throw node.bad(
          "makes the shape %s; at most %d elements are allowed"
              .formatted(Arrays.toString(shape), MAX_MADE));
    }
  }

  private static OnnxKernel.Single tile(OnnxNode node) {
    return x -> {
      Variable y = node.required(0, x);
      long[] repeats = node.integers(node.required(1, x));
      long[] shape = y.value().shape();
      if (repeats.length != shape.length) {
        throw node.bad("repeats " + y.value() + " " + Arrays.toString(repeats) + " times");
      }
      Arrays.setAll(
          shape, i -> repeats[i] < 0 || repeats[i] > MAX_MADE ? -1 : shape[i] * repeats[i]);
      requireSmall(node, shape);
      for (int dim = 0; dim < repeats.length; dim++) {
        long extent = y.value().shape(dim);
        long[] source = LongStream.range(0, extent * repeats[dim]).map(i -> i % extent).toArray();
        if (repeats[dim] != 1) {
          y = IndexOperators.select(y, dim, source);
        }
      }
      return y;
    };
  }

  private static OnnxKernel.Single pad(OnnxNode node) {
    String mode = node.text("mode", "constant");
    String known =
        switch (mode) {
          case "constant", "reflect" -> mode;
          case "edge" -> "replicate";
          case "wrap" -> "circular";
          default -> throw node.unsupported("has the mode " + mode);
        };
    return x -> {
      Variable input = node.required(0, x);
      int rank = input.value().rank();
      long[] pads = node.integers("pads", 1, x);
      Variable given = OnnxNode.optional(2, x);
      double value = given == null ? node.number("value", 0) : number(node, given);
      Variable only = OnnxNode.optional(3, x);
      long[] axes =
          only == null ? LongStream.range(0, rank).toArray() : node.dims(node.integers(only), rank);
      if (pads == null || pads.length != 2 * axes.length) {
        throw node.bad("has the pads " + Arrays.toString(pads) + " for " + input.value());
      }
      long[] ordered = new long[2 * rank];
      long[] shape = input.value().shape();
      for (int i = 0; i < axes.length; i++) {
        int dim = (int) axes[i];
        ordered[2 * (rank - 1 - dim)] = pads[i];
        ordered[2 * (rank - 1 - dim) + 1] = pads[axes.length + i];
        if (Math.max(Math.abs(pads[i]), Math.abs(pads[axes.length + i])) > MAX_MADE) {
          throw node.bad("has the pads " + Arrays.toString(pads));
        }
        shape[dim] += pads[i] + pads[axes.length + i];
      }
      requireSmall(node, shape);
      return padded(input, known, value, ordered);
    };
  }

  /** Pads; the numbers of elements are in torch's order, the last dimension first. */
  static Variable padded(Variable x, String mode, double value, long... pads) {
    if (Arrays.stream(pads).allMatch(each -> each == 0)) {
      return x;
    }
    Map<String, Object> attributes =
        mode.equals("constant")
            ? Map.of("pad", pads, "value", value)
            : Map.of("pad", pads, "mode", mode);
    return Variable.apply("pad", Attributes.of(attributes), x);
  }

  private static double number(OnnxNode node, Variable x) {
    if (x.value().size() != 1) {
      throw node.bad("takes one number, got " + x.value());
    }
    return x.value().toDoubles()[0];
  }

  private static OnnxKernel.Single shape(OnnxNode node) {
    long start = node.integer("start", 0);
    long end = node.integer("end", Tensor.MAX_RANK);
    return x -> {
      long[] shape = node.required(0, x).value().shape();
      int from = (int) bound(start, shape.length);
      int to = Math.max(from, (int) bound(end, shape.length));
      return Variable.of(Tensor.of(Arrays.copyOfRange(shape, from, to), to - from));
    };
  }

  private static long bound(long bound, int rank) {
    return Math.max(0, Math.min(rank, bound < 0 ? bound + rank : bound));
  }

  private static OnnxKernel.Single constant(OnnxNode node) {
    Tensor tensor = node.tensor("value");
    long[] integers = node.integers("value_ints");
    if (tensor == null && node.has("value_int")) {
      tensor = Tensor.of(new long[] {node.integer("value_int", 0)});
    } else if (tensor == null && node.has("value_float")) {
      tensor = Tensor.full(DType.FLOAT32, node.number("value_float", 0));
    } else if (tensor == null && integers != null) {
      tensor = Tensor.of(integers, integers.length);
    }
    if (tensor == null) {
      throw node.unsupported("has no value that is a tensor of numbers");
    }
    Variable value = Variable.of(tensor);
    return x -> value;
  }

  private static OnnxKernel.Single filled(OnnxNode node) {
    Tensor given = node.tensor("value");
    if (given != null && given.size() != 1) {
      throw node.bad("takes one number, got " + given);
    }
    DType dtype = given == null ? DType.FLOAT32 : given.dtype();
    double value = given == null ? 0 : given.toDoubles()[0];
    return x -> {
      long[] shape = node.integers(node.required(0, x));
      requireSmall(node, shape);
      return Variable.of(Tensor.full(dtype, value, shape));
    };
  }

  private static OnnxKernel.Single range(OnnxNode node) {
    return (@Nullable Variable... x) -> {
      double start = number(node, node.required(0, x));
      double step = number(node, node.required(2, x));
      double count = Math.ceil((number(node, node.required(1, x)) - start) / step);
      if (!(count <= MAX_MADE)) {
        throw node.bad("makes " + count + " elements; at most " + MAX_MADE + " are allowed");
      }
      double[] values = new double[(int) Math.max(0, count)];
      Arrays.setAll(values, i -> start + i * step);
      DType dtype = node.required(0, x).value().dtype();
      return Variable.of(Tensor.wrap(values, values.length).to(dtype));
    };
  }
}
