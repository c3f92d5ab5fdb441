package io.hazelgrad.autograd.nn;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.ops.Attributes;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The base class of recurrent modules: stacked layers over the steps of a sequence, optionally in
 * both directions. The parameters are {@code weight_ih_l0}, {@code weight_hh_l0}, {@code
 * bias_ih_l0}, {@code bias_hh_l0}, and so on for further layers; those of the backward direction
 * end in {@code _reverse}. As in torch, initial values are uniform up to ±1 / sqrt(hidden).
 *
 * <p>Input is {@code [T, N, inputs]}, output {@code [T, N, directions * hidden]}, the first two
 * dimensions swapped with {@link RecurrentOptions#batchFirst}; states are {@code [layers *
 * directions, N, hidden]}.
 *
 * <p>Threads: safe.
 */
public abstract sealed class Recurrent extends Module<Variable, Variable> permits Lstm, Gru {
  private static final Attributes SWAP = Attributes.of("dim0", 0, "dim1", 1);

  private final String operation;
  private final int states;
  private final int hidden;
  private final RecurrentOptions options;
  private final Dropout dropout;

  /** The parameters of each layer and direction. */
  private final List<List<Variable>> cells = new ArrayList<>();

  Recurrent(
      String operation,
      int gates,
      int states,
      int inputs,
      int hidden,
      RecurrentOptions options,
      Init init) {
    atLeast("inputs", inputs, 1);
    atLeast("hidden", hidden, 1);
    this.operation = operation;
    this.states = states;
    this.hidden = hidden;
    this.options = options;
    long rows = (long) gates * hidden;
    for (int layer = 0; layer < options.layers(); layer++) {
      long columns = layer == 0 ? inputs : (long) options.directions() * hidden;
      for (int direction = 0; direction < options.directions(); direction++) {
        String end = "_l" + layer + (direction == 0 ? "" : "_reverse");
        List<Variable> cell = new ArrayList<>();
        cell.add(parameter("weight_ih" + end, init.forSumsOf(hidden, rows, columns)));
        cell.add(parameter("weight_hh" + end, init.forSumsOf(hidden, rows, hidden)));
        if (options.biased()) {
          cell.add(parameter("bias_ih" + end, init.forSumsOf(hidden, rows)));
          cell.add(parameter("bias_hh" + end, init.forSumsOf(hidden, rows)));
        }
        cells.add(cell);
      }
    }
    dropout = new Dropout(options.dropout(), init);
  }

  @Override
  void seek(long run) {
    dropout.seek(run);
  }

  /** Computes the output, from states that are zero. */
  @Override
  public final Variable forward(Variable x) {
    Tensor input = x.value();
    long batch = input.rank() == 3 ? input.shape(options.batchFirst() ? 0 : 1) : 0;
    Tensor zero = Tensor.zeros(input.dtype(), cells.size(), batch, hidden).to(input.device());
    Variable[] first = new Variable[states];
    Arrays.fill(first, Variable.of(zero));
    return steps(x, first).get(0);
  }

  /** Returns the output and the last states, from these first ones. */
  final List<Variable> steps(Variable x, Variable... first) {
    Variable steps = options.batchFirst() ? Variable.apply("transpose", SWAP, x) : x;
    List<List<Variable>> last = new ArrayList<>();
    for (int i = 0; i < states; i++) {
      checkState(first[i], steps);
      last.add(new ArrayList<>());
    }
    for (int layer = 0; layer < options.layers(); layer++) {
      if (layer > 0 && isTraining()) {
        steps = dropout.forward(steps);
      }
      List<Variable> ways = new ArrayList<>();
      for (int direction = 0; direction < options.directions(); direction++) {
        int cell = layer * options.directions() + direction;
        ways.add(way(cell, direction == 1, steps, first, last));
      }
      steps = ways.size() == 1 ? ways.get(0) : joined("concat", 2, ways);
    }
    List<Variable> all = new ArrayList<>();
    all.add(options.batchFirst() ? Variable.apply("transpose", SWAP, steps) : steps);
    last.forEach(each -> all.add(joined("stack", 0, each)));
    return all;
  }

  private void checkState(Variable state, Variable steps) {
    Tensor x = steps.value();
    if (x.rank() == 3 && !state.value().hasShape(cells.size(), x.shape(1), hidden)) {
      throw bad(
          "a state of %s must be [%s, %s, %s]: %s"
              .formatted(operation, cells.size(), x.shape(1), hidden, state.value()));
    }
  }

  /** Runs one cell over the steps in one direction, and adds its last states to those. */
  private Variable way(
      int cell, boolean back, Variable steps, Variable[] first, List<List<Variable>> last) {
    List<Variable> inputs = new ArrayList<>();
    inputs.add(back ? reversed(steps) : steps);
    Stream.of(first).map(state -> at(state, cell)).forEach(inputs::add);
    inputs.addAll(cells.get(cell));
    Variable result = Variable.apply(operation, inputs.toArray(Variable[]::new));
    List<Variable> sequences = new ArrayList<>(); // Each state at all steps; h is the first.
    for (int i = 0; i < states; i++) {
      sequences.add(states == 1 ? result : at(result, i));
      last.get(i).add(at(sequences.get(i), result.value().shape(states == 1 ? 0 : 1) - 1));
    }
    return back ? reversed(sequences.get(0)) : sequences.get(0);
  }

  /** Returns an element of the first dimension, without that dimension. */
  private static Variable at(Variable x, long index) {
    Attributes slice = Attributes.of(Map.of("dim", 0, "start", index, "end", index + 1));
    long[] shape = x.value().shape();
    return Variable.apply("slice", slice, x).reshape(Arrays.copyOfRange(shape, 1, shape.length));
  }

  private static Variable reversed(Variable steps) {
    long count = steps.value().shape(0);
    long[] order = LongStream.range(0, count).map(t -> count - 1 - t).toArray();
    Tensor index = Tensor.wrap(order, count).to(steps.value().device());
    return Variable.apply("index_select", Attributes.of("dim", 0), steps, Variable.of(index));
  }

  private static Variable joined(String operation, int dim, List<Variable> parts) {
    return Variable.apply(operation, Attributes.of("dim", dim), parts.toArray(Variable[]::new));
  }
}
