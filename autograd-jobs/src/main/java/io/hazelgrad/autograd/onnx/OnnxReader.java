package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel;
import io.hazelgrad.autograd.onnx.operators.OnnxNode;
import io.hazelgrad.autograd.onnx.operators.OnnxOperators;
import io.hazelgrad.autograd.onnx.operators.ProtoLimits;
import io.hazelgrad.autograd.onnx.operators.Protos;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import onnx.Onnx.GraphProto;
import onnx.Onnx.ModelProto;
import onnx.Onnx.NodeProto;
import onnx.Onnx.OperatorSetIdProto;
import onnx.Onnx.TensorProto;
import onnx.Onnx.ValueInfoProto;
import org.nd4j.shade.protobuf.InvalidProtocolBufferException;

/**
 * Reads the bytes of an ONNX model into an {@link OnnxProgram} without trusting them. Only what the
 * outputs need is compiled. It must have no cycles and only operators of {@link OnnxOperators}.
 */
final class OnnxReader {
  /** The versions of the operators that are known here. */
  static final int OLDEST_OPSET = 7;

  static final int NEWEST_OPSET = 24;

  private final GraphProto graph;
  private final int opset;
  private final Map<String, TensorProto> initializers = new LinkedHashMap<>();
  private final Map<String, Integer> producers = new HashMap<>();
  private final List<OnnxValue> inputs = new ArrayList<>();
  private final Set<String> inputNames = new HashSet<>();

  private OnnxReader(ModelProto model) {
    graph = model.getGraph();
    opset = opset(model);
  }

  /** Reads a model; see {@link OnnxModel#read(byte[])} for errors. */
  static OnnxProgram read(byte[] bytes) {
    ProtoLimits.check(bytes);
    try {
      OnnxReader reader = new OnnxReader(ModelProto.parseFrom(bytes));
      reader.index();
      return reader.program();
    } catch (InvalidProtocolBufferException e) {
      throw Protos.damaged(String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException | ArithmeticException e) { // From the checks of a tensor.
      throw new GridException(Status.BAD_VALUE, "the ONNX model is damaged: " + e, e);
    }
  }

  private static int opset(ModelProto model) {
    long version = 0;
    for (OperatorSetIdProto set : model.getOpsetImportList()) {
      if (isStandard(set.getDomain())) {
        version = set.getVersion();
      }
    }
    if (version < OLDEST_OPSET || version > NEWEST_OPSET) {
      throw new GridException(
          version == 0 ? Status.BAD_VALUE : Status.NOT_ALLOWED,
          version == 0
              ? "this is no ONNX model: it has no version of ONNX's operators"
              : "the model has ONNX's operators of version %d; %d to %d run here"
                  .formatted(version, OLDEST_OPSET, NEWEST_OPSET));
    }
    return (int) version;
  }

  private static boolean isStandard(String domain) {
    return domain.isEmpty() || domain.equals("ai.onnx");
  }

  private void index() {
    if (graph.getSparseInitializerCount() > 0) {
      throw new GridException(Status.NOT_ALLOWED, "the model has sparse tensors");
    }
    for (TensorProto tensor : graph.getInitializerList()) {
      if (initializers.put(tensor.getName(), tensor) != null) {
        throw Protos.damaged("two tensors are named \"" + tensor.getName() + "\"");
      }
    }
    Set<String> known = new HashSet<>(initializers.keySet());
    for (ValueInfoProto input : graph.getInputList()) {
      if (!initializers.containsKey(input.getName())) { // Old models list all initializers.
        if (!known.add(input.getName())) {
          throw Protos.damaged("two inputs are named \"" + input.getName() + "\"");
        }
        inputs.add(ValueInfos.read(input));
        inputNames.add(input.getName());
      }
    }
    for (int i = 0; i < graph.getNodeCount(); i++) {
      for (String output : graph.getNode(i).getOutputList()) {
        if (!output.isEmpty()) {
          producers.put(output, i);
          if (!known.add(output)) {
            throw Protos.damaged("two values are named \"" + output + "\"");
          }
        }
      }
    }
  }

  private OnnxProgram program() {
    List<OnnxValue> outputs = graph.getOutputList().stream().map(ValueInfos::read).toList();
    if (outputs.isEmpty()) {
      throw Protos.damaged("it has no outputs");
    }
    Map<String, Integer> slots = new HashMap<>();
    inputs.forEach(input -> slots.put(input.name(), slots.size()));
    List<NodeProto> nodes = new ArrayList<>();
    Set<String> tensors = new LinkedHashSet<>();
    order(outputs, nodes, tensors);
    Map<String, Variable> fixed = new LinkedHashMap<>();
    for (String name : initializers.keySet()) {
      if (tensors.contains(name)) {
        Tensor value = Protos.tensor(initializers.get(name));
        slots.put(name, slots.size());
        fixed.put(
            name, value.dtype().isFloating() ? Variable.parameter(value) : Variable.of(value));
      }
    }
    List<OnnxProgram.Step> steps = new ArrayList<>();
    for (NodeProto node : nodes) {
      for (String output : node.getOutputList()) {
        if (!output.isEmpty()) {
          slots.put(output, slots.size());
        }
      }
      steps.add(step(node, slots));
    }
    List<Integer> results = outputs.stream().map(output -> slots.get(output.name())).toList();
    return OnnxProgram.of(inputs, outputs, fixed, steps, results, slots.size());
  }

  /** Finds the nodes and tensors that the outputs need, each node after those that it reads. */
  private void order(List<OnnxValue> outputs, List<NodeProto> nodes, Set<String> tensors) {
    Set<Integer> open = new HashSet<>();
    Set<Integer> done = new HashSet<>();
    Deque<Integer> stack = new ArrayDeque<>();
    for (OnnxValue output : outputs) {
      visit(output.name(), tensors, stack);
    }
    while (!stack.isEmpty()) {
      Integer node = stack.peek();
      if (done.contains(node)) {
        stack.pop();
      } else if (open.remove(node)) {
        stack.pop();
        done.add(node);
        nodes.add(graph.getNode(node));
      } else {
        open.add(node);
        for (String input : graph.getNode(node).getInputList()) {
          Integer producer = producers.get(input);
          if (producer != null && open.contains(producer)) {
            throw new GridException(
                Status.NOT_ALLOWED, "\"" + input + "\" depends on itself; models have no loops");
          }
          if (!input.isEmpty() && (producer == null || !done.contains(producer))) {
            visit(input, tensors, stack);
          }
        }
      }
    }
  }

  private void visit(String value, Set<String> tensors, Deque<Integer> stack) {
    Integer producer = producers.get(value);
    if (producer != null) {
      stack.push(producer);
    } else if (initializers.containsKey(value)) {
      tensors.add(value);
    } else if (!inputNames.contains(value)) {
      throw Protos.damaged("nothing makes \"" + value + "\"");
    }
  }

  private OnnxProgram.Step step(NodeProto proto, Map<String, Integer> slots) {
    OnnxNode node = new OnnxNode(proto, opset);
    if (!isStandard(proto.getDomain())) {
      throw node.unsupported("is of the domain " + proto.getDomain() + ", not of ONNX itself");
    }
    OnnxKernel kernel = OnnxOperators.compile(node, proto.getInputCount());
    return new OnnxProgram.Step(
        node, kernel, slots(proto.getInputList(), slots), slots(proto.getOutputList(), slots));
  }

  private static int[] slots(List<String> names, Map<String, Integer> slots) {
    // An empty name is none; all others have a slot by now.
    return names.stream().mapToInt(name -> slots.getOrDefault(name, OnnxProgram.NONE)).toArray();
  }
}
