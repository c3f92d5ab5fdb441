package io.hazelgrad.autograd.graph;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.nio.ByteBuffer;
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
import org.jspecify.annotations.Nullable;
import org.nd4j.graph.FlatGraph;
import org.nd4j.graph.FlatNode;
import org.nd4j.graph.FlatVariable;
import org.nd4j.graph.IntPair;

/**
 * Reads the FlatBuffers of a SameDiff graph into a {@link SameDiffProgram} without trusting them.
 * SameDiff's own reader is not used: it instantiates classes that the bytes name, trusts strides,
 * and reads a training configuration with polymorphic JSON.
 *
 * <p>Only the part that the wanted outputs need is read; losses, gradients and training
 * configuration are ignored. Every length is checked against a budget, proportional to the number
 * of bytes, before anything is allocated for it. {@link ByteBuffer} checks offsets. Names must be
 * unique. The part that is read must have no cycles, no control flow and only operations of {@link
 * GraphOps}.
 */
final class GraphReader {
  /** SameDiff's kinds of variables, by their number in the bytes. */
  private static final int VARIABLE = 0;

  private static final int CONSTANT = 1;
  private static final int ARRAY = 2;
  private static final int PLACEHOLDER = 3;

  private final FlatVectors vectors;
  private final FlatGraph graph;
  private final Map<Long, String> nameById = new HashMap<>();
  private final Map<String, FlatVariable> variables = new LinkedHashMap<>();
  private final Map<String, FlatNode> producers = new HashMap<>();

  private GraphReader(byte[] bytes) {
    vectors = new FlatVectors(bytes.length);
    graph = FlatGraph.getRootAsFlatGraph(ByteBuffer.wrap(bytes));
  }

  /**
   * Reads a graph.
   *
   * @param inputs the order of its placeholders; names that the outputs do not need are ignored
   * @param outputs the names of the variables to compute
   * @throws GridException BAD_VALUE if the bytes are damaged, NOT_ALLOWED if an operation is not in
   *     {@link GraphOps}, BAD_ARGUMENT if an input or output is missing
   */
  static SameDiffProgram read(byte[] bytes, List<String> inputs, List<String> outputs) {
    try {
      GraphReader reader = new GraphReader(bytes);
      reader.index();
      return reader.program(inputs, outputs);
    } catch (GridException e) {
      throw e;
    } catch (RuntimeException e) { // Wrong offsets cause various exceptions.
      throw new GridException(Status.BAD_VALUE, "the bytes of the graph are damaged: " + e, e);
    }
  }

  private void index() {
    for (int i = 0, n = vectors.count(graph.variablesLength(), Integer.BYTES); i < n; i++) {
      FlatVariable variable = graph.variables(i);
      String name = FlatVectors.name(variable.name(), "the name of a variable");
      if (variables.put(name, variable) != null) {
        throw FlatVectors.damaged("two variables are named \"" + name + "\"");
      }
      nameById.put(key(variable.id()), name);
    }
    for (int i = 0, n = vectors.count(graph.nodesLength(), Integer.BYTES); i < n; i++) {
      FlatNode node = graph.nodes(i);
      for (int k = 0, m = vectors.count(node.outputNamesLength(), Integer.BYTES); k < m; k++) {
        String name = FlatVectors.name(node.outputNames(k), "the name of an output");
        if (producers.put(name, node) != null) {
          throw FlatVectors.damaged("two nodes make \"" + name + "\"");
        }
        nameById.putIfAbsent(key(node.id(), k), name);
      }
    }
  }

  private SameDiffProgram program(List<String> inputs, List<String> outputs) {
    List<String> order = reachable(outputs);
    Set<String> placeholders = new LinkedHashSet<>();
    Set<String> constants = new LinkedHashSet<>();
    List<String> computed = new ArrayList<>();
    for (String name : order) {
      switch (kind(name)) {
        case PLACEHOLDER -> placeholders.add(name);
        case VARIABLE, CONSTANT -> constants.add(name);
        default -> computed.add(name);
      }
    }
    Set<String> ordered = new LinkedHashSet<>(inputs);
    ordered.retainAll(placeholders);
    if (ordered.size() != placeholders.size()) {
      throw new GridException(
          Status.BAD_ARGUMENT, "the outputs need the inputs " + placeholders + ", not " + inputs);
    }
    Map<String, Integer> slots = new HashMap<>();
    List<GraphInput> needed = new ArrayList<>();
    for (String name : ordered) {
      slots.put(name, slots.size());
      needed.add(input(name));
    }
    Map<String, Variable> fixed = new LinkedHashMap<>();
    for (String name : constants) {
      slots.put(name, slots.size());
      fixed.put(name, fixed(name));
    }
    List<GraphStep> steps = new ArrayList<>();
    for (String name : computed) {
      steps.add(step(name, slots));
      slots.put(name, slots.size());
    }
    List<Integer> outputSlots = outputs.stream().map(slots::get).toList();
    return SameDiffProgram.of(needed, fixed, steps, List.copyOf(outputs), outputSlots);
  }

  /** Returns everything that the outputs need, each after what it needs itself. */
  private List<String> reachable(List<String> outputs) {
    List<String> order = new ArrayList<>();
    Set<String> open = new HashSet<>();
    Set<String> done = new HashSet<>();
    Deque<String> stack = new ArrayDeque<>();
    for (String output : outputs) {
      if (!variables.containsKey(output) && !producers.containsKey(output)) {
        throw new GridException(
            Status.BAD_ARGUMENT,
            "the graph has no output \"" + output + "\"; it has " + variables.keySet());
      }
      stack.push(output);
    }
    while (!stack.isEmpty()) {
      String name = stack.peek();
      if (done.contains(name)) {
        stack.pop();
      } else if (open.remove(name)) {
        stack.pop();
        done.add(name);
        order.add(name);
      } else {
        open.add(name);
        for (String input : kind(name) == ARRAY ? inputsOf(producer(name)) : List.<String>of()) {
          if (open.contains(input)) {
            throw new GridException(
                Status.NOT_ALLOWED,
                "\"" + input + "\" depends on itself; graphs may have no loops");
          }
          if (!done.contains(input)) {
            stack.push(input);
          }
        }
      }
    }
    return order;
  }

  private int kind(String name) {
    FlatVariable variable = variables.get(name);
    if (variable == null || producers.containsKey(name)) {
      return ARRAY;
    }
    int kind = variable.variabletype();
    if (kind < VARIABLE || kind > PLACEHOLDER) {
      throw FlatVectors.damaged("\"" + name + "\" is of the unknown kind " + kind);
    }
    return kind;
  }

  private FlatNode producer(String name) {
    FlatNode node = producers.get(name);
    if (node == null) {
      throw FlatVectors.damaged("no node makes \"" + name + "\"");
    }
    return node;
  }

  private List<String> inputsOf(FlatNode node) {
    List<String> names = new ArrayList<>();
    for (int i = 0, n = vectors.count(node.inputPairedLength(), Integer.BYTES); i < n; i++) {
      long key = key(node.inputPaired(i));
      names.add(FlatVectors.present(nameById.get(key), "input " + i + " of " + node.name()));
    }
    return names;
  }

  private GraphStep step(String output, Map<String, Integer> slots) {
    FlatNode node = producer(output);
    String name = FlatVectors.name(node.name(), "the name of a node");
    String op = FlatVectors.name(node.opName(), "the operation of node \"" + name + "\"");
    if (node.outputNamesLength() != 1
        || node.controlDepsLength() + node.varControlDepsLength() > 0) {
      throw new GridException(
          Status.NOT_ALLOWED,
          "node \"" + name + "\" (" + op + ") has several results or control dependencies");
    }
    int[] inputs = inputsOf(node).stream().mapToInt(slots::get).toArray();
    GraphNode read =
        new GraphNode(
            name,
            op,
            vectors.doubles(node.extraParamsLength(), node::extraParams),
            vectors.longs(node.extraIntegerLength(), node::extraInteger),
            vectors.flags(node.extraBoolsLength(), node::extraBools),
            vectors.longs(node.dimensionsLength(), node::dimensions),
            node.scalar() == null ? null : vectors.tensor(node.scalar()).item());
    return new GraphStep(read, GraphOps.compile(read, inputs.length), inputs, slots.size());
  }

  private GraphInput input(String name) {
    FlatVariable variable = FlatVectors.present(variables.get(name), "input " + name);
    List<Long> shape = new ArrayList<>();
    for (long extent : vectors.longs(variable.shapeLength(), variable::shape)) {
      shape.add(extent < 0 ? -1 : extent);
    }
    DType dtype = FlatVectors.dtype(variable.dtype(), "input \"" + name + "\"");
    return new GraphInput(name, dtype, shape);
  }

  /** Reads a constant, or a trained variable, which is a parameter if it is floating-point. */
  private Variable fixed(String name) {
    FlatVariable variable = FlatVectors.present(variables.get(name), "constant " + name);
    if (variable.ndarray() == null) {
      throw new GridException(Status.BAD_VALUE, "\"" + name + "\" has no value");
    }
    Tensor value = vectors.tensor(variable.ndarray());
    return kind(name) == VARIABLE && value.dtype().isFloating()
        ? Variable.parameter(value)
        : Variable.of(value);
  }

  private static long key(@Nullable IntPair pair) {
    IntPair present = FlatVectors.present(pair, "an id");
    return key(present.first(), present.second());
  }

  private static long key(int node, int output) {
    return ((long) node << 32) | (output & 0xffffffffL);
  }
}
