package io.hazelgrad.tests.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Fits a {@link CountedCurve}. The worker S opens the data set when a file has been removed.
 *
 * @param closed the path of the file
 */
@RemoteValue
record GatedFit(int rows, int batch, String closed)
    implements DatasetProgram<CountedCurve, Integer> {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  @Override
  public CountedCurve model() {
    return new CountedCurve(rows);
  }

  @Override
  public LocalOptimizer optimizer(CountedCurve model) {
    return model.optimizer(batch);
  }

  @Override
  public Dataset<Integer> data() {
    boolean isSlow = System.getProperty("sun.java.command", "").contains("--name=S ");
    while (isSlow && Files.exists(Path.of(closed))) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    return Dataset.of(rows, number -> number);
  }

  @Override
  public Variable loss(CountedCurve model, List<Integer> numbers) {
    Delays.some();
    return model.loss(numbers);
  }
}
