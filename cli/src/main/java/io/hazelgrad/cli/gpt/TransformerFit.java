package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.jobs.Dataset;
import io.hazelgrad.autograd.jobs.DatasetProgram;
import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.time.Duration;
import java.util.List;

/** A training of a file as the program of a training job. A row is its number over all steps. */
@RemoteValue
record TransformerFit(TrainingCase training) implements DatasetProgram<CharTransformer, Integer> {
  private static final Duration SNAPSHOT = Duration.ofMillis(250);

  /** Returns options for the same steps as the file's. */
  TrainingOptions options(int workers) {
    return TrainingOptions.builder()
        .batch(training.batches().size())
        .shuffle(false)
        .deterministic(workers)
        .snapshotEvery(SNAPSHOT)
        .build();
  }

  @Override
  public CharTransformer model() {
    CharTransformer model = new CharTransformer(training.shape(), Init.seeded(0));
    training.initial().load(model);
    return model;
  }

  @Override
  public LocalOptimizer optimizer(CharTransformer model) {
    return LocalOptimizer.of(training.optimizer(), model.parameters());
  }

  @Override
  public Dataset<Integer> data() {
    return Dataset.of(
        Math.multiplyExact(training.steps(), training.batches().size()), number -> number);
  }

  @Override
  public Variable loss(CharTransformer model, List<Integer> rows) {
    int size = training.batches().size();
    int step = rows.get(0) / size;
    int from = rows.get(0) % size;
    KillPoint.reach(step);
    return training.loss(model, training.batches().batch(step, from, from + rows.size()));
  }
}
