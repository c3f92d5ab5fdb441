package io.hazelgrad.tests.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.DType;
import io.hazelgrad.grid.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A {@link Curve}, and a parameter for each row that training raises by one whenever the row is
 * used: the model itself says how often each row counts in it.
 *
 * <p>The counts are exact for batches and shards whose sizes are powers of two.
 */
final class CountedCurve extends Module<Variable, Variable> {
  private static final String COUNTS = "counts";

  private final Curve curve;
  private final Variable counts;

  CountedCurve(int rows) {
    curve = child("curve", new Curve());
    counts = parameter(COUNTS, Tensor.full(DType.FLOAT64, 0, rows, 1));
  }

  /** Returns how often each row counts in the state of a model. */
  static double[] counts(Map<String, Tensor> state) {
    return state.get(COUNTS).toDoubles();
  }

  LocalOptimizer optimizer(int batch) {
    return LocalOptimizer.builder()
        .parameters(Adam.defaults(), curve.parameters())
        .parameters(Sgd.of(batch), List.of(counts))
        .build();
  }

  @Override
  public Variable forward(Variable x) {
    return curve.forward(x);
  }

  /** Returns the loss of the curve; its gradient with respect to a used row's count is -1 / n. */
  Variable loss(List<Integer> rows) {
    int all = (int) counts.value().shape()[0];
    double[] used = new double[rows.size() * all];
    for (int i = 0; i < rows.size(); i++) {
      used[i * all + rows.get(i)] = 1;
    }
    Variable sum = Variable.of(Tensor.of(used, rows.size(), all)).matmul(counts).mean();
    return curve.loss(rows).sub(sum.sub(sum.detach()));
  }
}
