package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.operators.Protos;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.autograd.ops.OperationErrors;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One operation of a trace while its nodes are written: its inputs by their names in the model, its
 * attributes, and short forms of frequent nodes.
 *
 * @param others the attributes in the second trace
 * @param output the type and shapes of the result; its name is unused
 * @param batch writes extents that depend on the batch
 * @param more gets the names of further outputs
 */
record OperationWriter(
    NodeWriter nodes,
    String operation,
    Attributes attributes,
    Attributes others,
    List<TracedValue> inputs,
    TracedValue output,
    BatchExtents batch,
    Map<String, String> more) {
  /** A formula for an operation: writes the nodes and returns the name of the result. */
  @FunctionalInterface
  interface Formula {
    String write(OperationWriter to);
  }

  /** Returns an input's name. */
  String in(int index) {
    return inputs.get(index).name();
  }

  boolean has(int index) {
    return index < inputs.size();
  }

  /** Returns an input converted to the type of the result. */
  String typed(int index) {
    return cast(in(index), inputs.get(index).dtype(), output.dtype());
  }

  String cast(String value, DType from, DType to) {
    return from == to ? value : nodes.node("Cast", Map.of("to", Protos.code(to)), value);
  }

  String node(String type, String... in) {
    return nodes.node(type, Map.of(), in);
  }

  String node(String type, Map<String, ?> settings, String... in) {
    return nodes.node(type, settings, in);
  }

  /** Returns a number in the type of the result. */
  String number(double value) {
    return nodes.scalar(output.dtype(), value);
  }

  String add(String a, String b) {
    return node("Add", a, b);
  }

  String sub(String a, String b) {
    return node("Sub", a, b);
  }

  String mul(String a, String b) {
    return node("Mul", a, b);
  }

  String div(String a, String b) {
    return node("Div", a, b);
  }

  String times(String a, double factor) {
    return factor == 1 ? a : mul(a, number(factor));
  }

  String where(String condition, String a, String b) {
    return node("Where", condition, a, b);
  }

  String reshape(String value, long... shape) {
    return node("Reshape", value, nodes.integers(shape));
  }

  String unsqueeze(String value, long... axes) {
    return node("Unsqueeze", value, nodes.integers(axes));
  }

  String squeeze(String value, long... axes) {
    return node("Squeeze", value, nodes.integers(axes));
  }

  String transpose(String value, long... order) {
    return node("Transpose", Map.of("perm", order), value);
  }

  String concat(long axis, String... parts) {
    return node("Concat", Map.of("axis", axis), parts);
  }

  String slice(String value, long axis, long start, long end) {
    return node("Slice", value, nodes.integers(start), nodes.integers(end), nodes.integers(axis));
  }

  /** Reduces dimensions and keeps them. */
  String reduceKeeping(String type, String value, long... axes) {
    return node(type, Map.of("keepdims", 1), value, nodes.integers(axes));
  }

  /** Returns the dimensions that the attribute dim names; all if it is missing or empty. */
  long[] dims() {
    int rank = inputs.get(0).rank();
    long[] dims = attributes.integers(operation, "dim");
    if (dims == null || dims.length == 0) {
      return IntStream.range(0, rank).asLongStream().toArray();
    }
    for (int i = 0; i < dims.length; i++) {
      dims[i] = dims[i] < 0 ? dims[i] + Math.max(1, rank) : dims[i];
    }
    return dims;
  }

  /** Returns one dimension, counted from 0. */
  long dim(String name, long otherwise, int rank) {
    long dim = attributes.integer(operation, name, otherwise);
    return dim < 0 ? dim + Math.max(1, rank) : dim;
  }

  boolean keepdim() {
    return attributes.flag(operation, "keepdim", false);
  }

  /** Returns an attribute with one number for each dimension. */
  long[] each(String name, int count, long otherwise) {
    long[] given = attributes.integers(operation, name);
    long[] all = new long[count];
    for (int i = 0; i < count; i++) {
      all[i] = given == null ? otherwise : given[given.length == 1 ? 0 : i];
    }
    return all;
  }

  /** Applies the loss's reduction. */
  String reduced(String loss) {
    String reduction = attributes.text(operation, "reduction", "mean");
    return switch (reduction) {
      case "mean" -> node("ReduceMean", Map.of("keepdims", 0), loss);
      case "sum" -> node("ReduceSum", Map.of("keepdims", 0), loss);
      default -> loss;
    };
  }

  /** Returns an extent that must not depend on the batch. */
  long fixed(int input, int dim) {
    TracedValue value = inputs.get(input);
    if (value.varies(dim)) {
      throw bad("needs a dimension that does not depend on the batch; use withFixedShapes()");
    }
    return value.shape()[dim];
  }

  String constant(Tensor tensor) {
    return nodes.constant(tensor);
  }

  /** Returns the same with inputs and result in another floating-point type. */
  OperationWriter inFloats(UnaryOperator<TracedValue> convert) {
    return new OperationWriter(
        nodes,
        operation,
        attributes,
        others,
        inputs.stream().map(convert).toList(),
        output.as(output.name(), wide(output.dtype())),
        batch,
        more);
  }

  static DType wide(DType dtype) {
    return dtype.isFloating() && dtype.bytes() == 2 ? DType.FLOAT32 : dtype;
  }

  GridException bad(String message) {
    return OperationErrors.bad(operation, message);
  }
}
