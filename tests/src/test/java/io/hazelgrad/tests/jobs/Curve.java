package io.hazelgrad.tests.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Dropout;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;

/** A small network with dropout, for rows that are numbers: row n has the input n / 100. */
final class Curve extends Module<Variable, Variable> {
  private static final int WIDTH = 8;

  private final Linear hidden;
  private final Dropout dropout;
  private final Linear output;

  Curve() {
    Init init = Init.seeded(3);
    hidden = child("hidden", new Linear(1, WIDTH, init));
    dropout = child("dropout", new Dropout(0.25, init));
    output = child("output", new Linear(WIDTH, 1, init));
  }

  @Override
  public Variable forward(Variable x) {
    return output.forward(dropout.forward(hidden.forward(x).tanh()));
  }

  /** Returns the mean squared error of sin. */
  Variable loss(List<Integer> rows) {
    double[] inputs = rows.stream().mapToDouble(row -> row / 100.0).toArray();
    double[] targets = rows.stream().mapToDouble(row -> Math.sin(row / 100.0)).toArray();
    return forward(column(inputs)).mseLoss(column(targets));
  }

  private static Variable column(double[] values) {
    return Variable.of(Tensor.of(values, values.length, 1).to(DType.FLOAT32));
  }
}
