package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.operators.Protos;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import onnx.Onnx.TensorShapeProto;
import onnx.Onnx.TypeProto;
import onnx.Onnx.ValueInfoProto;

/** The declarations of inputs and outputs in the format of ONNX. */
final class ValueInfos {
  private ValueInfos() {}

  /** Makes the declaration of an input or output; negative extents get the name of the batch. */
  static ValueInfoProto of(OnnxValue value) {
    TensorShapeProto.Builder shape = TensorShapeProto.newBuilder();
    for (long extent : value.shape()) {
      if (extent < 0) {
        shape.addDimBuilder().setDimParam("batch");
      } else {
        shape.addDimBuilder().setDimValue(extent);
      }
    }
    TypeProto.Tensor.Builder type =
        TypeProto.Tensor.newBuilder().setElemType(Protos.code(value.dtype())).setShape(shape);
    return ValueInfoProto.newBuilder()
        .setName(value.name())
        .setType(TypeProto.newBuilder().setTensorType(type))
        .build();
  }

  /** Reads the declaration of an input or output. */
  static OnnxValue read(ValueInfoProto proto) {
    String what = "\"" + proto.getName() + "\"";
    if (!proto.getType().hasTensorType()) {
      throw new GridException(Status.NOT_ALLOWED, what + " is no tensor");
    }
    TypeProto.Tensor type = proto.getType().getTensorType();
    List<TensorShapeProto.Dimension> dims = type.getShape().getDimList();
    if (dims.size() > Tensor.MAX_RANK) {
      throw Protos.damaged(what + " has " + dims.size() + " dimensions");
    }
    List<Long> shape =
        dims.stream()
            .map(
                dim ->
                    dim.getValueCase() == TensorShapeProto.Dimension.ValueCase.DIM_VALUE
                        ? Math.max(-1, dim.getDimValue())
                        : -1L)
            .toList();
    return new OnnxValue(proto.getName(), Protos.dtype(type.getElemType(), what), shape);
  }
}
