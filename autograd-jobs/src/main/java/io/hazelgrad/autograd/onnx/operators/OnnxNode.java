package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import onnx.Onnx.AttributeProto;
import onnx.Onnx.AttributeProto.AttributeType;
import onnx.Onnx.NodeProto;
import org.jspecify.annotations.Nullable;
import org.nd4j.shade.protobuf.ByteString;

/** A node of an ONNX model with its attributes, for the operators that compile it. */
public final class OnnxNode {
  private final NodeProto proto;
  private final int opset;
  private final Map<String, AttributeProto> attributes = new HashMap<>();

  public OnnxNode(NodeProto proto, int opset) {
    this.proto = proto;
    this.opset = opset;
    for (AttributeProto attribute : proto.getAttributeList()) {
      if (attributes.put(attribute.getName(), attribute) != null) {
        throw bad("has the attribute " + attribute.getName() + " twice");
      }
    }
  }

  /** Returns the name of the operator. */
  String type() {
    return proto.getOpType();
  }

  /** Returns the version of the operators that the model was written for. */
  int opset() {
    return opset;
  }

  /** Returns the number of outputs up to the last one that is used. */
  int outputs() {
    int last = 0;
    for (int i = 0; i < proto.getOutputCount(); i++) {
      last = proto.getOutput(i).isEmpty() ? last : i + 1;
    }
    return last;
  }

  boolean has(String name) {
    return attributes.containsKey(name);
  }

  private @Nullable AttributeProto find(String name, AttributeType type) {
    AttributeProto found = attributes.get(name);
    if (found != null && found.getType() != type) {
      throw bad("has the attribute %s of type %s, not %s".formatted(name, found.getType(), type));
    }
    return found;
  }

  long integer(String name, long otherwise) {
    AttributeProto found = find(name, AttributeType.INT);
    return found == null ? otherwise : found.getI();
  }

  boolean flag(String name, boolean otherwise) {
    return integer(name, otherwise ? 1 : 0) != 0;
  }

  double number(String name, double otherwise) {
    AttributeProto found = find(name, AttributeType.FLOAT);
    // The shortest decimal number of the float, so that 0.1f is 0.1.
    return found == null ? otherwise : Double.parseDouble(Float.toString(found.getF()));
  }

  String text(String name, String otherwise) {
    AttributeProto found = find(name, AttributeType.STRING);
    return found == null ? otherwise : found.getS().toStringUtf8();
  }

  @Nullable Tensor tensor(String name) {
    AttributeProto found = find(name, AttributeType.TENSOR);
    return found == null ? null : Protos.tensor(found.getT());
  }

  long @Nullable [] integers(String name) {
    AttributeProto found = find(name, AttributeType.INTS);
    return found == null ? null : found.getIntsList().stream().mapToLong(each -> each).toArray();
  }

  /** Returns a list of texts; empty without the attribute. */
  List<String> texts(String name) {
    AttributeProto found = find(name, AttributeType.STRINGS);
    return found == null
        ? List.of()
        : found.getStringsList().stream().map(ByteString::toStringUtf8).toList();
  }

  /** Returns one number for each of some dimensions, {@code otherwise} without the attribute. */
  long[] each(String name, int count, long otherwise) {
    long[] given = integers(name);
    if (given == null) {
      long[] all = new long[count];
      Arrays.fill(all, otherwise);
      return all;
    }
    if (given.length != count) {
      throw bad(
          "has " + name + "=" + Arrays.toString(given) + " in place of " + count + " numbers");
    }
    return given;
  }

  /** Returns integers from an attribute, as old models have it, or from an input. */
  long @Nullable [] integers(String name, int input, @Nullable Variable... x) {
    if (has(name)) {
      return integers(name);
    }
    Variable given = optional(input, x);
    return given == null ? null : integers(given);
  }

  /** Returns the elements of an input that gives extents, positions or dimensions. */
  long[] integers(Variable input) {
    Tensor tensor = input.value();
    if (tensor.dtype().isFloating() || tensor.dtype() == DType.BOOL || tensor.rank() > 1) {
      throw bad("takes a vector of integers, got " + tensor);
    }
    return tensor.toLongs();
  }

  /** Returns a dimension counted from 0. */
  int dim(long dim, int rank) {
    long counted = dim < 0 ? dim + rank : dim;
    if (counted < 0 || counted >= Math.max(1, rank)) {
      throw bad("has the dimension " + dim + " for a tensor of rank " + rank);
    }
    return (int) counted;
  }

  /** Returns dimensions counted from 0. */
  long[] dims(long[] dims, int rank) {
    return Arrays.stream(dims).map(dim -> dim(dim, rank)).toArray();
  }

  /** Returns an input that must be there. */
  Variable required(int index, @Nullable Variable... x) {
    Variable input = optional(index, x);
    if (input == null) {
      throw bad("lacks input " + index);
    }
    return input;
  }

  /** Returns an input, or null if it was left out. */
  static @Nullable Variable optional(int index, @Nullable Variable... x) {
    return index < x.length ? x[index] : null;
  }

  /** Returns the error of arguments that do not fit. */
  GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, this + " " + message);
  }

  /** Returns the error of a node that cannot run here. */
  public GridException unsupported(String message) {
    return new GridException(Status.NOT_ALLOWED, this + " " + message);
  }

  @Override
  public String toString() {
    return "node \"" + proto.getName() + "\" (" + proto.getOpType() + ")";
  }
}
