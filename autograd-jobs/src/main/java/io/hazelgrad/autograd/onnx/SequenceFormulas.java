package io.hazelgrad.autograd.onnx;

import io.hazelgrad.autograd.onnx.OperationWriter.Formula;
import io.hazelgrad.grid.Tensor;
import java.util.Map;

/**
 * Recurrent layers as ONNX's operators. The gates of the parameters are reordered by nodes, so that
 * the parameters keep torch's names and order.
 */
final class SequenceFormulas {
  /** The gates of torch, input, forget, cell, output, in the order of ONNX. */
  private static final int[] LSTM_GATES = {0, 3, 1, 2};

  /** The gates of torch, reset, update, new, in the order of ONNX. */
  private static final int[] GRU_GATES = {1, 0, 2};

  private SequenceFormulas() {}

  static void addTo(Map<String, Formula> all) {
    all.put("lstm", SequenceFormulas::lstm);
    all.put("gru", SequenceFormulas::gru);
  }

  private static String gru(OperationWriter to) {
    long hidden = to.inputs().get(1).shape()[1];
    String y =
        to.nodes()
            .nodes(
                "GRU",
                Map.of("hidden_size", hidden, "linear_before_reset", 1),
                1,
                to.in(0),
                ordered(to, 2, GRU_GATES),
                ordered(to, 3, GRU_GATES),
                biases(to, 4, GRU_GATES),
                "",
                to.unsqueeze(to.in(1), 0))
            .get(0);
    return to.squeeze(y, 1);
  }

  /** Writes h of all steps and c of all steps, joined. What is not used disappears. */
  private static String lstm(OperationWriter to) {
    long hidden = to.inputs().get(1).shape()[1];
    String y =
        to.nodes()
            .nodes(
                "LSTM",
                Map.of("hidden_size", hidden),
                1,
                to.in(0),
                ordered(to, 3, LSTM_GATES),
                ordered(to, 4, LSTM_GATES),
                biases(to, 5, LSTM_GATES),
                "",
                to.unsqueeze(to.in(1), 0),
                to.unsqueeze(to.in(2), 0))
            .get(0);
    String h = to.squeeze(y, 1);
    return to.nodes().stack(to.unsqueeze(h, 0), to.unsqueeze(cells(to, h, hidden), 0));
  }

  /**
   * Writes c of all steps, which ONNX's LSTM does not return: the gates of all steps at once from h
   * of the steps before, then the sum of each step.
   */
  private static String cells(OperationWriter to, String h, long hidden) {
    long steps = to.inputs().get(0).shape()[0];
    if (to.inputs().get(0).varies(0)) {
      return to.node(NodeWriter.UNAVAILABLE, h); // The number of nodes depends on the steps.
    }
    String before = to.concat(0, to.unsqueeze(to.in(1), 0), to.slice(h, 0, 0, steps - 1));
    String gates =
        to.add(
            ShapeFormulas.linear(to, to.in(0), to.in(3), to.has(5) ? to.in(5) : ""),
            ShapeFormulas.linear(to, before, to.in(4), to.has(6) ? to.in(6) : ""));
    String input = to.node("Sigmoid", to.slice(gates, 2, 0, hidden));
    String forget = to.node("Sigmoid", to.slice(gates, 2, hidden, 2 * hidden));
    String added = to.mul(input, to.node("Tanh", to.slice(gates, 2, 2 * hidden, 3 * hidden)));
    String[] cells = new String[Math.toIntExact(steps)];
    String cell = to.unsqueeze(to.in(2), 0);
    for (int i = 0; i < cells.length; i++) {
      String kept = to.mul(to.slice(forget, 0, i, i + 1), cell);
      cell = to.add(kept, to.slice(added, 0, i, i + 1));
      cells[i] = cell;
    }
    return to.concat(0, cells);
  }

  /** Returns a weight or bias with its gates in ONNX's order, with a leading dimension. */
  private static String ordered(OperationWriter to, int input, int... gates) {
    return to.unsqueeze(reordered(to, input, gates), 0);
  }

  private static String reordered(OperationWriter to, int input, int... gates) {
    long rows = to.inputs().get(input).shape()[0] / gates.length;
    String[] parts = new String[gates.length];
    for (int i = 0; i < gates.length; i++) {
      parts[i] = to.slice(to.in(input), 0, gates[i] * rows, (gates[i] + 1) * rows);
    }
    return to.concat(0, parts);
  }

  private static String biases(OperationWriter to, int first, int... gates) {
    if (!to.has(first)) {
      return "";
    }
    String second =
        to.has(first + 1)
            ? reordered(to, first + 1, gates)
            : to.constant(Tensor.zeros(to.output().dtype(), to.inputs().get(first).shape()[0]));
    return to.unsqueeze(to.concat(0, reordered(to, first, gates), second), 0);
  }
}
