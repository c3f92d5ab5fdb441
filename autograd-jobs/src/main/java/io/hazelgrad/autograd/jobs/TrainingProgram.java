package io.hazelgrad.autograd.jobs;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/**
 * The model, the optimizer and the loss of a training job. It travels to the trainers, so it is
 * mostly a record with the annotation {@link RemoteValue}, whose components are the settings:
 *
 * <pre>{@code
 * @RemoteValue
 * public record Fit(int width, double rate) implements DatasetProgram<Mlp, Sample> {
 *   public Mlp model() {
 *     return new Mlp(64, width, 10, 7);
 *   }
 *
 *   public LocalOptimizer optimizer(Mlp model) {
 *     return LocalOptimizer.of(Sgd.of(rate), model.parameters());
 *   }
 *
 *   public Variable loss(Mlp model, List<Sample> rows) {
 *     return model.forward(Sample.inputs(rows)).crossEntropy(Sample.labels(rows));
 *   }
 *
 *   public Dataset<Sample> data() {
 *     return Dataset.of(Sample.all());
 *   }
 * }
 * }</pre>
 *
 * <p>Each trainer calls {@link #model} and {@link #optimizer} when the job starts and whenever it
 * goes on after a loss; the state of the snapshot is loaded after that. So both must depend on the
 * settings only. One thread of each trainer calls all methods.
 *
 * @param <M> the model
 * @param <R> a row of the data
 */
public sealed interface TrainingProgram<M extends Module<?, ?>, R>
    permits DatasetProgram, StreamProgram {
  /** Makes the model with its initial values. */
  M model();

  /** Makes the optimizer of all parameters, with its schedule and clipping. */
  LocalOptimizer optimizer(M model);

  /**
   * Computes the mean loss of some rows.
   *
   * @param rows at least one row
   * @return a scalar, the mean over the rows
   */
  Variable loss(M model, List<R> rows);

  /** Does what follows a step on each trainer; by default advances the schedule. */
  default void afterStep(TrainingStep step, LocalOptimizer optimizer) {
    optimizer.advanceSchedule();
  }

  /**
   * Measures the model, which is in evaluation mode, on one of the trainers; the others wait.
   *
   * @return figures by name; empty by default
   */
  default Map<String, Double> evaluate(M model) {
    return Map.of();
  }
}
