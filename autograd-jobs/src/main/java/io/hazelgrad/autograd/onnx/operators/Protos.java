package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.TensorBytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import onnx.Onnx.AttributeProto;
import onnx.Onnx.AttributeProto.AttributeType;
import onnx.Onnx.TensorProto;
import org.nd4j.shade.protobuf.ByteString;

/** Converts tensors, types and attributes to the messages of the ONNX format, and back. */
public final class Protos {
  private static final Map<DType, Integer> CODES =
      Map.of(
          DType.FLOAT32, TensorProto.DataType.FLOAT_VALUE,
          DType.FLOAT64, TensorProto.DataType.DOUBLE_VALUE,
          DType.FLOAT16, TensorProto.DataType.FLOAT16_VALUE,
          DType.BFLOAT16, TensorProto.DataType.BFLOAT16_VALUE,
          DType.INT64, TensorProto.DataType.INT64_VALUE,
          DType.INT32, TensorProto.DataType.INT32_VALUE,
          DType.INT16, TensorProto.DataType.INT16_VALUE,
          DType.INT8, TensorProto.DataType.INT8_VALUE,
          DType.UINT8, TensorProto.DataType.UINT8_VALUE,
          DType.BOOL, TensorProto.DataType.BOOL_VALUE);

  private Protos() {}

  /** Returns ONNX's number of an element type. */
  public static int code(DType dtype) {
    return CODES.getOrDefault(dtype, 0);
  }

  /** Returns the element type that a number stands for. */
  public static DType dtype(long code, String what) {
    return CODES.entrySet().stream()
        .filter(entry -> entry.getValue() == code)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(
            () ->
                new GridException(
                    Status.BAD_VALUE,
                    what + " has ONNX's element type " + code + ", which no tensor has"));
  }

  public static TensorProto tensor(String name, Tensor tensor) {
    TensorProto.Builder proto =
        TensorProto.newBuilder().setName(name).setDataType(code(tensor.dtype()));
    for (long extent : tensor.shape()) {
      proto.addDims(extent);
    }
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(tensor.size(), tensor.dtype().bytes()))
            .order(ByteOrder.LITTLE_ENDIAN);
    tensor.storage().copyTo(bytes);
    return proto.setRawData(ByteString.copyFrom(bytes.flip())).build();
  }

  /**
   * Reads a tensor. Its size is compared with the elements that the message has before anything is
   * allocated for it.
   */
  public static Tensor tensor(TensorProto proto) {
    String what = "tensor \"" + proto.getName() + "\"";
    if (proto.getDataLocation() == TensorProto.DataLocation.EXTERNAL
        || proto.getExternalDataCount() > 0) {
      throw new GridException(
          Status.NOT_ALLOWED,
          what + " is in another file; save the model with all tensors in one file");
    }
    DType dtype = dtype(proto.getDataType(), what);
    long[] shape = proto.getDimsList().stream().mapToLong(extent -> extent).toArray();
    long size;
    try {
      size = shape.length > Tensor.MAX_RANK ? -1 : Tensor.sizeOf(shape);
    } catch (IllegalArgumentException e) {
      size = -1;
    }
    ByteString raw = proto.getRawData();
    long given = raw.isEmpty() ? elements(proto, dtype) : raw.size() / dtype.bytes();
    if (size < 0 || size != given || raw.size() % dtype.bytes() != 0) {
      throw damaged(
          "%s of shape %s has %d elements of %s"
              .formatted(what, proto.getDimsList(), given, dtype));
    }
    ByteBuffer bytes;
    if (raw.isEmpty()) {
      bytes = typed(proto, dtype, (int) size);
    } else {
      bytes = raw.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      requireBooleans(what, dtype, bytes);
    }
    return TensorBytes.read(dtype, shape, (int) size, bytes);
  }

  private static void requireBooleans(String what, DType dtype, ByteBuffer bytes) {
    for (int i = 0; dtype == DType.BOOL && i < bytes.limit(); i++) {
      if (bytes.get(i) != 0 && bytes.get(i) != 1) {
        throw damaged(what + ": a boolean must be 0 or 1, got " + bytes.get(i));
      }
    }
  }

  private static int elements(TensorProto proto, DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> proto.getFloatDataCount();
      case FLOAT64 -> proto.getDoubleDataCount();
      case INT64 -> proto.getInt64DataCount();
      default -> proto.getInt32DataCount();
    };
  }

  /** Returns the elements of the lists by type as little-endian bytes. */
  private static ByteBuffer typed(TensorProto proto, DType dtype, int size) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(size, dtype.bytes())).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < size; i++) {
      switch (dtype) {
        case FLOAT32 -> bytes.putFloat(proto.getFloatData(i));
        case FLOAT64 -> bytes.putDouble(proto.getDoubleData(i));
        case INT64 -> bytes.putLong(proto.getInt64Data(i));
        case INT32 -> bytes.putInt(proto.getInt32Data(i));
        case INT16, FLOAT16, BFLOAT16 -> bytes.putShort((short) proto.getInt32Data(i));
        case INT8, UINT8 -> bytes.put((byte) proto.getInt32Data(i));
        case BOOL -> bytes.put((byte) (proto.getInt32Data(i) == 0 ? 0 : 1));
      }
    }
    return bytes.flip();
  }

  /** Makes an attribute: a number, a text, a tensor or a list of integers. */
  public static AttributeProto attribute(String name, Object value) {
    AttributeProto.Builder proto = AttributeProto.newBuilder().setName(name);
    if (value instanceof Integer || value instanceof Long) {
      proto.setType(AttributeType.INT).setI(((Number) value).longValue());
    } else if (value instanceof Double number) {
      proto.setType(AttributeType.FLOAT).setF(number.floatValue());
    } else if (value instanceof String text) {
      proto.setType(AttributeType.STRING).setS(ByteString.copyFromUtf8(text));
    } else if (value instanceof long[] integers) {
      proto.setType(AttributeType.INTS);
      for (long integer : integers) {
        proto.addInts(integer);
      }
    } else if (value instanceof Tensor tensor) {
      proto.setType(AttributeType.TENSOR).setT(tensor("", tensor));
    } else {
      throw new IllegalArgumentException(name + "=" + value);
    }
    return proto.build();
  }

  public static GridException damaged(String what) {
    return new GridException(Status.BAD_VALUE, "the ONNX model is damaged: " + what);
  }
}
