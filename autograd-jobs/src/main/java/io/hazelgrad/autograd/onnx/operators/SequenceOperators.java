package io.hazelgrad.autograd.onnx.operators;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.onnx.operators.OnnxKernel.Operator;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The recurrent operators of ONNX: LSTM, and GRU as torch computes it. */
final class SequenceOperators {
  /** The gates of ONNX, input, output, forget, cell, in torch's order. */
  private static final int[] LSTM_GATES = {0, 2, 3, 1};

  /** The gates of ONNX, update, reset, hidden, in torch's order. */
  private static final int[] GRU_GATES = {1, 0, 2};

  private SequenceOperators() {}

  static void addTo(Map<String, Operator> all) {
    all.put("LSTM", new Operator(3, 8, 3, node -> compile(node, "lstm", LSTM_GATES)));
    all.put("GRU", new Operator(3, 6, 2, node -> compile(node, "gru", GRU_GATES)));
  }

  private static OnnxKernel compile(OnnxNode node, String operation, int... gates) {
    boolean lstm = operation.equals("lstm");
    String direction = node.text("direction", "forward");
    List<Boolean> reversed =
        switch (direction) {
          case "forward" -> List.of(false);
          case "reverse" -> List.of(true);
          case "bidirectional" -> List.of(false, true);
          default -> throw node.bad("has the direction " + direction);
        };
    List<String> usual = lstm ? List.of("Sigmoid", "Tanh", "Tanh") : List.of("Sigmoid", "Tanh");
    List<String> activations = node.texts("activations");
    for (int i = 0; i < activations.size(); i++) {
      if (!activations.get(i).equals(usual.get(i % usual.size()))) {
        throw node.unsupported("has the activations " + activations + "; these run: " + usual);
      }
    }
    if (node.has("clip") || node.flag("layout", false) || node.flag("input_forget", false)) {
      throw node.unsupported("with clip, layout or input_forget does not run here");
    }
    if (!lstm && !node.flag("linear_before_reset", false)) {
      throw node.unsupported("runs here with linear_before_reset=1 only, as torch exports it");
    }
    return x -> run(node, operation, reversed, gates, x);
  }

  private static List<Variable> run(
      OnnxNode node,
      String operation,
      List<Boolean> reversed,
      int[] gates,
      @Nullable Variable... x) {
    boolean lstm = operation.equals("lstm");
    if (OnnxNode.optional(4, x) != null || OnnxNode.optional(7, x) != null) {
      throw node.unsupported("with sequence_lens or peepholes does not run here");
    }
    Variable input = node.required(0, x);
    if (input.value().rank() != 3 || node.required(2, x).value().rank() != 3) {
      throw node.bad("takes x [T, N, I] and r [D, G H, H], got " + input.value());
    }
    long batch = input.value().shape(1);
    long hidden = node.required(2, x).value().shape(2);
    List<Variable> ys = new ArrayList<>();
    List<Variable> hs = new ArrayList<>();
    List<Variable> cs = new ArrayList<>();
    for (int d = 0; d < reversed.size(); d++) {
      List<Variable> inputs = new ArrayList<>();
      inputs.add(reversed.get(d) ? backwards(input) : input);
      for (int state = 5; state <= (lstm ? 6 : 5); state++) {
        Variable given = OnnxNode.optional(state, x);
        Tensor zeros = Tensor.zeros(input.value().dtype(), batch, hidden);
        inputs.add(given == null ? Variable.of(zeros.to(input.value().device())) : at(given, d));
      }
      inputs.add(ordered(at(node.required(1, x), d), hidden, 0, gates));
      inputs.add(ordered(at(node.required(2, x), d), hidden, 0, gates));
      Variable bias = OnnxNode.optional(3, x);
      if (bias != null) {
        inputs.add(ordered(at(bias, d), hidden, 0, gates));
        inputs.add(ordered(at(bias, d), hidden, gates.length * hidden, gates));
      }
      Variable all = Variable.apply(operation, inputs.toArray(Variable[]::new));
      Variable h = lstm ? at(all, 0) : all;
      long last = input.value().shape(0) - 1;
      hs.add(at(h, last));
      if (lstm) {
        cs.add(at(at(all, 1), last));
      }
      ys.add(reversed.get(d) ? backwards(h) : h);
    }
    List<Variable> results = new ArrayList<>(List.of(stacked(1, ys), stacked(0, hs)));
    if (lstm) {
      results.add(stacked(0, cs));
    }
    return results;
  }

  private static Variable at(Variable x, long index) {
    return Ops.squeeze(Ops.range(x, 0, index, index + 1), 0);
  }

  private static Variable stacked(int dim, List<Variable> parts) {
    return Variable.apply("stack", Attributes.of("dim", dim), parts.toArray(Variable[]::new));
  }

  private static Variable backwards(Variable x) {
    long steps = x.value().shape(0);
    return IndexOperators.select(
        x, 0, LongStream.range(0, steps).map(i -> steps - 1 - i).toArray());
  }

  private static Variable ordered(Variable x, long hidden, long start, int... gates) {
    return Ops.concat(
        0,
        IntStream.of(gates)
            .mapToObj(gate -> Ops.range(x, 0, start + gate * hidden, start + (gate + 1) * hidden))
            .toArray(Variable[]::new));
  }
}
