package io.hazelgrad.autograd.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hazelgrad.autograd.onnx.operators.ProtoLimits;
import io.hazelgrad.autograd.onnx.operators.Protos;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import onnx.Onnx.GraphProto;
import onnx.Onnx.ModelProto;
import onnx.Onnx.NodeProto;
import onnx.Onnx.OperatorSetIdProto;
import onnx.Onnx.TensorProto;
import org.junit.jupiter.api.Test;
import org.nd4j.shade.protobuf.ByteString;

/** Models that cannot run here, or that try to harm, end in an error that says why. */
class HostileModelsTest {
  private static final Tensor X = Tensor.of(new float[] {1, 2}, 2);

  private static NodeProto node(String type, String output, String... inputs) {
    return NodeProto.newBuilder()
        .setName("n_" + output)
        .setOpType(type)
        .addAllInput(List.of(inputs))
        .addOutput(output)
        .build();
  }

  private static GraphProto.Builder graph(NodeProto... nodes) {
    return GraphProto.newBuilder()
        .addInput(ValueInfos.of(new OnnxValue("x", DType.FLOAT32, List.of(2L))))
        .addOutput(ValueInfos.of(new OnnxValue("y", DType.FLOAT32, List.of())))
        .addAllNode(List.of(nodes));
  }

  private static byte[] model(GraphProto.Builder graph, long opset) {
    return ModelProto.newBuilder()
        .setIrVersion(8)
        .setGraph(graph)
        .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(opset))
        .build()
        .toByteArray();
  }

  private static void isRefused(Status status, String reason, GraphProto.Builder graph) {
    isRefused(status, reason, model(graph, 18));
  }

  private static void isRefused(Status status, String reason, byte[] bytes) {
    assertThatThrownBy(() -> OnnxModel.read(bytes))
        .isInstanceOfSatisfying(
            GridException.class, e -> assertThat(e.status()).as(e.toString()).isEqualTo(status))
        .hasMessageContaining(reason);
  }

  @Test
  void modelIsRefusedWhenAnOperatorIsUnknown() {
    isRefused(
        Status.NOT_ALLOWED,
        "node \"n_y\" (Loop) is no operator that runs here; these do: [Abs, Add",
        graph(node("Loop", "y", "x")));
    NodeProto custom = node("Relu", "y", "x").toBuilder().setDomain("com.example").build();
    isRefused(Status.NOT_ALLOWED, "is of the domain com.example", graph(custom));
    isRefused(Status.NOT_ALLOWED, "has 3 inputs", graph(node("Relu", "y", "x", "x", "x")));
  }

  @Test
  void modelIsRefusedWhenItsValuesAreNoGraph() {
    isRefused(
        Status.NOT_ALLOWED,
        "depends on itself",
        graph(node("Add", "a", "b", "x"), node("Add", "b", "a", "x"), node("Relu", "y", "b")));
    isRefused(Status.BAD_VALUE, "nothing makes \"z\"", graph(node("Relu", "y", "z")));
    isRefused(
        Status.BAD_VALUE,
        "two values are named \"y\"",
        graph(node("Relu", "y", "x"), node("Abs", "y", "x")));
    isRefused(Status.BAD_VALUE, "two values are named \"x\"", graph(node("Relu", "x", "x")));
  }

  @Test
  void unusedNodesDoNoHarm() {
    OnnxModel model =
        OnnxModel.read(model(graph(node("Relu", "y", "x"), node("Loop", "z", "x")), 18));
    assertThat(model.run(Map.of("x", X)).get("y")).isEqualTo(X);
  }

  @Test
  void modelIsRefusedWhenATensorIsNotThere() {
    TensorProto.Builder tensor = TensorProto.newBuilder().setName("w").setDataType(1);
    GraphProto.Builder graph = graph(node("Add", "y", "x", "w"));
    isRefused(
        Status.BAD_VALUE,
        "has 0 elements of FLOAT32",
        graph.clone().addInitializer(tensor.clone().addDims(1L << 40).addDims(1L << 20)));
    isRefused(
        Status.BAD_VALUE,
        "has 1 elements of FLOAT32",
        graph
            .clone()
            .addInitializer(
                tensor.clone().addDims(-1).setRawData(ByteString.copyFrom(new byte[4]))));
    isRefused(
        Status.NOT_ALLOWED,
        "is in another file",
        graph
            .clone()
            .addInitializer(
                tensor.clone().addDims(2).setDataLocation(TensorProto.DataLocation.EXTERNAL)));
    isRefused(
        Status.BAD_VALUE,
        "element type 8",
        graph.clone().addInitializer(tensor.clone().setDataType(8).addDims(2)));
  }

  @Test
  void modelIsRefusedWhenItIsNone() {
    isRefused(Status.BAD_VALUE, "no version of ONNX's operators", new byte[0]);
    isRefused(Status.BAD_VALUE, "is damaged", new byte[] {1, 2, 3});
    isRefused(
        Status.NOT_ALLOWED,
        "version 99; 7 to 24 run here",
        model(graph(node("Relu", "y", "x")), 99));
  }

  /** Two bytes of the file would become a hundred of the heap. */
  @Test
  void modelIsRefusedWhenItHasMillionsOfEmptyNodes() {
    GraphProto.Builder graph = graph(node("Relu", "y", "x"));
    for (int i = 0; i <= ProtoLimits.MAX_FIELDS; i++) {
      graph.addNode(NodeProto.getDefaultInstance());
    }
    isRefused(Status.BAD_VALUE, "more than 1000000 fields", graph);
  }

  @Test
  void modelIsRefusedWhenItsGraphsAreNestedDeeply() {
    byte[] inner = {};
    for (int i = 0; i < 200; i++) { // graph, node, attribute, graph of the attribute
      byte[] attribute = field(6, inner);
      inner = field(1, field(5, attribute));
    }
    isRefused(Status.BAD_VALUE, "nested deeper than 32", field(7, inner));
  }

  private static byte[] field(int number, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write((number << 3) | 2);
    for (int left = content.length; ; left >>>= 7) {
      if (left < 128) {
        out.write(left);
        break;
      }
      out.write((left & 127) | 128);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }

  @Test
  void runEndsWithAnErrorWhenTheModelMakesHugeTensors() {
    GraphProto.Builder graph =
        graph(node("ConstantOfShape", "y", "shape"))
            .addInitializer(Protos.tensor("shape", Tensor.of(new long[] {1 << 20, 1 << 20}, 2)));
    OnnxModel model = OnnxModel.read(model(graph, 18));
    assertThatThrownBy(() -> model.run(Map.of("x", X)))
        .hasMessageContaining("node \"n_y\" (ConstantOfShape) makes the shape [1048576, 1048576]");
    GraphProto.Builder tiled =
        graph(node("Tile", "y", "x", "times"))
            .addInitializer(Protos.tensor("times", Tensor.of(new long[] {Long.MAX_VALUE}, 1)));
    OnnxModel other = OnnxModel.read(model(tiled, 18));
    assertThatThrownBy(() -> other.run(Map.of("x", X))).hasMessageContaining("makes the shape");
  }

  @Test
  void runEndsWithTheNodeWhenInputsDoNotFit() {
    GraphProto.Builder graph =
        graph(node("MatMul", "y", "x", "w"))
            .addInitializer(Protos.tensor("w", Tensor.zeros(DType.FLOAT32, 3, 3)));
    OnnxModel model = OnnxModel.read(model(graph, 18));
    assertThatThrownBy(() -> model.run(Map.of("x", X)))
        .hasMessageContaining("node \"n_y\" (MatMul): matmul:");
    assertThatThrownBy(() -> model.run(Map.of()))
        .hasMessageContaining("lacks the input \"x\"; its inputs are [x FLOAT32 [2]]");
    assertThatThrownBy(() -> model.run(Map.of("x", X, "z", X))).hasMessageContaining("[x FLOAT32");
  }
}
