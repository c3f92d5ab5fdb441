package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.operators.Protos;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import onnx.Onnx.GraphProto;
import onnx.Onnx.ModelProto;
import onnx.Onnx.NodeProto;
import onnx.Onnx.OperatorSetIdProto;
import org.jspecify.annotations.Nullable;

/** Collects the nodes and initializers of a model, and gives their values names. */
final class NodeWriter {
  /** The version of ONNX's operators that is written. */
  static final int OPSET = 18;

  /**
   * The type of a node for a value that ONNX does not have; it is an error if an output needs it.
   */
  static final String UNAVAILABLE = "Unavailable";

  private static final int IR_VERSION = 8;

  private final List<NodeProto> nodes = new ArrayList<>();
  private final Map<String, Tensor> initializers = new LinkedHashMap<>();
  private final Map<String, String> constants = new HashMap<>();
  private final Map<String, String[]> stacks = new HashMap<>();
  private final Set<String> names = new HashSet<>();

  /** Reserves the name of an input, an output or an initializer. */
  void reserve(String name) {
    names.add(name);
  }

  void initializer(String name, Tensor tensor) {
    reserve(name);
    initializers.put(name, tensor);
  }

  /** Adds a node with one output and returns the output's name. */
  String node(String type, Map<String, ?> attributes, String... inputs) {
    return nodes(type, attributes, 1, inputs).get(0);
  }

  /** Adds a node with several outputs. An input that is left out has an empty name. */
  List<String> nodes(String type, Map<String, ?> attributes, int outputs, String... inputs) {
    List<String> results = new ArrayList<>();
    for (int i = 0; i < outputs; i++) {
      results.add(fresh(type.toLowerCase(Locale.ROOT)));
    }
    add(type, attributes, results, inputs);
    return results;
  }

  /** Gives a value another name, for an output. */
  void alias(String value, String name) {
    add("Identity", Map.of(), List.of(name), value);
  }

  private void add(String type, Map<String, ?> attributes, List<String> outputs, String... inputs) {
    NodeProto.Builder node =
        NodeProto.newBuilder()
            .setName("node_" + nodes.size())
            .setOpType(type)
            .addAllInput(Arrays.asList(inputs))
            .addAllOutput(outputs);
    // In order, so that two exports of a model are the same bytes: Map.of has another order in each
    // JVM.
    new TreeMap<>(attributes)
        .forEach((name, value) -> node.addAttribute(Protos.attribute(name, value)));
    nodes.add(node.build());
  }

  private String fresh(String stem) {
    int number = names.size();
    String name = stem + "_" + number;
    while (!names.add(name)) {
      name = stem + "_" + ++number;
    }
    return name;
  }

  /** Returns the name of a constant. Equal ones of at most 16 elements share a node. */
  String constant(Tensor tensor) {
    String key =
        tensor.size() > 16
            ? null
            : tensor.dtype() + Arrays.toString(tensor.shape()) + Arrays.toString(bits(tensor));
    String known = key == null ? null : constants.get(key);
    if (known != null) {
      return known;
    }
    String name = node("Constant", Map.of("value", tensor));
    if (key != null) {
      constants.put(key, name);
    }
    return name;
  }

  private static long[] bits(Tensor tensor) {
    return tensor.dtype().isFloating()
        ? Arrays.stream(tensor.toDoubles()).mapToLong(Double::doubleToRawLongBits).toArray()
        : tensor.toLongs();
  }

  /** Joins parts that have one element along dimension 0, and remembers them for {@link #part}. */
  String stack(String... parts) {
    String whole = node("Concat", Map.of("axis", 0), parts);
    stacks.put(whole, parts);
    return whole;
  }

  /**
   * Returns a part of a value, or null if it has no such part or {@link #stack} has not made it.
   */
  @Nullable String part(String whole, long index) {
    String[] parts = stacks.get(whole);
    return parts == null || index < 0 || index >= parts.length ? null : parts[(int) index];
  }

  /** Returns a vector of INT64. */
  String integers(long... values) {
    return constant(Tensor.of(values, values.length));
  }

  String scalar(DType dtype, double value) {
    return constant(Tensor.full(dtype, value));
  }

  /** Returns the bytes of the model; nodes and initializers that no output needs are left out. */
  byte[] model(List<OnnxValue> inputs, List<OnnxValue> outputs) {
    Set<String> needed = new HashSet<>(outputs.stream().map(OnnxValue::name).toList());
    Deque<NodeProto> kept = new ArrayDeque<>();
    for (int i = nodes.size() - 1; i >= 0; i--) {
      NodeProto node = nodes.get(i);
      if (node.getOutputList().stream().anyMatch(needed::contains)) {
        if (node.getOpType().equals(UNAVAILABLE)) {
          throw new GridException(
              Status.BAD_ARGUMENT,
              "export to ONNX: the state c of an LSTM needs a fixed number of steps; use"
                  + " withBatchDim(..) or withFixedShapes()");
        }
        needed.addAll(node.getInputList());
        kept.addFirst(node);
      }
    }
    GraphProto.Builder graph = GraphProto.newBuilder().setName("hazelgrad").addAllNode(kept);
    inputs.forEach(value -> graph.addInput(ValueInfos.of(value)));
    outputs.forEach(value -> graph.addOutput(ValueInfos.of(value)));
    initializers.forEach(
        (name, tensor) -> {
          if (needed.contains(name)) {
            graph.addInitializer(Protos.tensor(name, tensor));
          }
        });
    return ModelProto.newBuilder()
        .setIrVersion(IR_VERSION)
        .setProducerName("hazelgrad")
        .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(OPSET))
        .setGraph(graph)
        .build()
        .toByteArray();
  }
}
