package io.hazelgrad.autograd.internal.jobs;

import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.training.Checkpoint;
import io.hazelgrad.autograd.training.LocalOptimizer;
import io.hazelgrad.autograd.training.OptimizerState;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The contents of a checkpoint of a training job: parameters, state of the optimizer, buffers, and
 * the number of steps. The buffers and the number are extras of the {@link Checkpoint}.
 */
@RemoteValue
record StartState(List<Tensor> parameters, OptimizerState optimizer, Map<String, Tensor> extras) {
  private static final String STEP = "training.step";
  private static final String BUFFER = "buffer.";

  /** Reads a checkpoint; BAD_ARGUMENT if no training job wrote it. */
  static StartState of(Checkpoint checkpoint) {
    Tensor step = checkpoint.extras().get(STEP);
    if (step == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the checkpoint lacks the tensor %s, so no training job wrote it; it has %s"
              .formatted(STEP, checkpoint.extras().keySet()));
    }
    return new StartState(checkpoint.parameters(), checkpoint.optimizer(), checkpoint.extras());
  }

  /** Makes the checkpoint of a state. */
  static Checkpoint checkpoint(TrainingState state) {
    List<Tensor> parameters = new ArrayList<>();
    Map<String, Tensor> extras = new LinkedHashMap<>();
    state
        .model()
        .forEach(
            (name, value) -> {
              if (state.parameters().contains(name)) {
                parameters.add(value);
              } else {
                extras.put(BUFFER + name, value);
              }
            });
    extras.put(STEP, Tensor.of(new long[] {state.step()}, 1));
    return new Checkpoint(parameters, state.optimizer(), extras);
  }

  /** Gives the state to a model and its optimizer. */
  void load(Module<?, ?> model, LocalOptimizer target) {
    Map<String, Tensor> values = new LinkedHashMap<>();
    List<String> names = List.copyOf(model.namedParameters().keySet());
    if (names.size() != parameters.size()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the checkpoint has %d parameters, the model %d: %s"
              .formatted(parameters.size(), names.size(), names));
    }
    for (int i = 0; i < names.size(); i++) {
      values.put(names.get(i), parameters.get(i));
    }
    extras.forEach(
        (name, value) -> {
          if (name.startsWith(BUFFER)) {
            values.put(name.substring(BUFFER.length()), value);
          }
        });
    model.load(values);
    target.restore(optimizer);
  }

  /** Returns the number of steps that are made. */
  long step() {
    Tensor step = extras.get(STEP);
    return step == null ? 0 : step.toLongs()[0];
  }
}
