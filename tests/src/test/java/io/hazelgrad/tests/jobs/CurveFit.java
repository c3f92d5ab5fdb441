package io.hazelgrad.tests.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.optim.Schedule;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/**
 * Fits a {@link Curve}.
 *
 * @param rows the number of rows
 * @param failAt the number of a row whose loss fails; negative for none
 */
@RemoteValue
record CurveFit(int rows, int failAt) implements DatasetProgram<Curve, Integer> {
  @Override
  public Curve model() {
    return new Curve();
  }

  @Override
  public LocalOptimizer optimizer(Curve model) {
    return LocalOptimizer.builder()
        .parameters(Adam.defaults(), model.parameters())
        .schedule(Schedule.exponential(0.999))
        .clipNorm(5)
        .build();
  }

  @Override
  public Variable loss(Curve model, List<Integer> numbers) {
    if (failAt >= 0 && numbers.contains(failAt)) {
      throw new IllegalStateException("row " + failAt + " is bad");
    }
    Pace.keep();
    return model.loss(numbers);
  }

  @Override
  public Dataset<Integer> data() {
    return Dataset.of(rows, number -> number);
  }

  @Override
  public Map<String, Double> evaluate(Curve model) {
    return Map.of("error", model.loss(List.of(1, 50, 100)).value().item(), "constant", 1.0);
  }
}
