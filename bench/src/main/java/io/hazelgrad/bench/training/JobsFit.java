package io.hazelgrad.bench.training;

import com.sun.management.OperatingSystemMXBean;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.Example;
import io.hazelgrad.autograd.jobs.TrainingStep;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Linear;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.nn.Sequential;
import io.hazelgrad.autograd.optim.Adam;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A network of 784, 256 and 10 with Adam as a training job, which notes the times of its first and
 * last step in each JVM.
 *
 * @param steps the number of steps
 */
@RemoteValue
public record JobsFit(int steps) implements DatasetProgram<Sequential, Example> {
  private static final int INPUTS = 784;
  private static final int HIDDEN = 256;
  private static final int CLASSES = 10;
  private static final int ROWS = 512;

  /** The rows of a step. */
  public static final int BATCH = 128;

  private static final int LEFT_OUT = 100;

  private static volatile Times first = new Times(0, 0);
  private static volatile Times last = first;

  /** The time and the processor time of a JVM, in nanoseconds. */
  private record Times(long wall, long processor) {
    static Times now() {
      return new Times(
          System.nanoTime(),
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime());
    }
  }

  /** Returns the steps per second of the last training in this JVM, without its first 100. */
  public static double rate(int steps) {
    return (steps - 1 - LEFT_OUT) * 1e9 / (last.wall - first.wall);
  }

  /** Returns the microseconds of this JVM's processor time for each of these steps. */
  public static double processorMicros(int steps) {
    return (last.processor - first.processor) / 1e3 / (steps - 1 - LEFT_OUT);
  }

  @Override
  public Sequential model() {
    Init init = Init.seeded(1);
    return new Sequential(
        new Linear(INPUTS, HIDDEN, init),
        Module.of(Variable::relu),
        new Linear(HIDDEN, CLASSES, init));
  }

  @Override
  public LocalOptimizer optimizer(Sequential model) {
    return LocalOptimizer.of(Adam.defaults(), model.parameters());
  }

  @Override
  public Dataset<Example> data() {
    float[] pixels = Init.seeded(2).normal(0, 1, (long) ROWS * INPUTS).toFloats();
    float[][] rows = new float[ROWS][INPUTS];
    double[] classes = new double[ROWS];
    for (int i = 0; i < ROWS; i++) {
      System.arraycopy(pixels, i * INPUTS, rows[i], 0, INPUTS);
      classes[i] = i % CLASSES;
    }
    Dataset<Example> once = Dataset.arrays(rows, classes);
    // As many rows as all steps need, so that one epoch has them all.
    return Dataset.of(steps * BATCH, number -> once.row(number % ROWS));
  }

  @Override
  public Variable loss(Sequential model, List<Example> rows) {
    return model
        .forward(Variable.of(Example.values(rows)))
        .crossEntropy(Variable.of(Example.classes(rows)));
  }

  @Override
  public void afterStep(TrainingStep step, LocalOptimizer optimizer) {
    if (step.number() == LEFT_OUT) {
      first = Times.now();
    } else if (step.number() == steps - 1) {
      last = Times.now();
    }
  }
}
