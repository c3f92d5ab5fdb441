package io.hazelgrad.tests.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.TrainingStep;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;

/** Fits a {@link CountedCurve} to numbered rows, with delays in all that it does. */
@RemoteValue
record DelayedFit(int rows, int batch) implements DatasetProgram<CountedCurve, Integer> {
  @Override
  public CountedCurve model() {
    Delays.some();
    return new CountedCurve(rows);
  }

  @Override
  public LocalOptimizer optimizer(CountedCurve model) {
    return model.optimizer(batch);
  }

  @Override
  public Dataset<Integer> data() {
    Delays.some();
    return Dataset.of(rows, number -> number);
  }

  @Override
  public Variable loss(CountedCurve model, List<Integer> numbers) {
    Delays.some();
    return model.loss(numbers);
  }

  @Override
  public void afterStep(TrainingStep step, LocalOptimizer optimizer) {
    Delays.some();
  }
}
