package io.hazelgrad.autograd.onnx.operators;

import java.io.IOException;
import onnx.Onnx.ModelProto;
import org.nd4j.shade.protobuf.CodedInputStream;
import org.nd4j.shade.protobuf.Descriptors.Descriptor;
import org.nd4j.shade.protobuf.Descriptors.FieldDescriptor;
import org.nd4j.shade.protobuf.Descriptors.FieldDescriptor.JavaType;
import org.nd4j.shade.protobuf.WireFormat;

/**
 * Counts the fields of a model's bytes before they are parsed. A parsed field takes about 100 bytes
 * of the heap, however few it has in the file: the limits keep a small file from becoming a large
 * object.
 */
public final class ProtoLimits {
  /** The most fields of all messages together. */
  public static final int MAX_FIELDS = 1_000_000;

  private static final int MAX_DEPTH = 32;

  private int fields;

  private ProtoLimits() {}

  /**
   * Checks a model.
   *
   * @throws io.hazelgrad.grid.GridException BAD_VALUE if the bytes are no protobuf message, or have
   *     more fields or deeper messages than allowed
   */
  public static void check(byte[] bytes) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(bytes);
      new ProtoLimits().message(in, ModelProto.getDescriptor(), 0);
    } catch (IOException e) {
      throw Protos.damaged(String.valueOf(e.getMessage()));
    }
  }

  private void message(CodedInputStream in, Descriptor type, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw Protos.damaged("its messages are nested deeper than " + MAX_DEPTH);
    }
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (++fields > MAX_FIELDS) {
        throw Protos.damaged("it has more than " + MAX_FIELDS + " fields");
      }
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      int wire = WireFormat.getTagWireType(tag);
      if (wire == WireFormat.WIRETYPE_START_GROUP) {
        throw Protos.damaged("it has a group, which no ONNX model has");
      }
      if (wire == WireFormat.WIRETYPE_LENGTH_DELIMITED
          && field != null
          && field.getJavaType() == JavaType.MESSAGE) {
        int limit = in.pushLimit(in.readRawVarint32());
        message(in, field.getMessageType(), depth + 1);
        in.popLimit(limit);
      } else if (!in.skipField(tag)) {
        throw Protos.damaged("it has a field that ends no group");
      }
    }
  }
}
