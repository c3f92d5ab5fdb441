package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.cli.replay.BadProgramException;
import io.hazelgrad.cli.replay.JsonFields;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;

/**
 * A training of a {@link TrainingFile}: all that a worker needs to know of it.
 *
 * @param shape the extents of the model
 * @param batches the batches of the text
 * @param micro the number of micro-batches of equal size in a batch
 * @param steps the number of steps
 * @param optimizer the optimizer of all parameters
 * @param initial the values before the first step
 * @param device where each worker has its model
 */
@RemoteValue
record TrainingCase(
    CharTransformer.Shape shape,
    TextBatches batches,
    int micro,
    int steps,
    Optimizer optimizer,
    InitialValues initial,
    Device device) {
  TrainingCase {
    if (micro < 1 || batches.size() % micro != 0) {
      throw new GridException(
          Status.BAD_ARGUMENT, "micro=%d must divide batch=%d".formatted(micro, batches.size()));
    }
    int greatest = batches.text().chars().max().orElse(0);
    if (greatest >= shape.vocab()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "vocab=%d lacks character %d of the text".formatted(shape.vocab(), greatest));
    }
  }

  /** Reads a case; throws {@link BadProgramException} with the place of what is wrong. */
  static TrainingCase read(JsonFields fields, String text) {
    try {
      JsonFields config = fields.object("config");
      CharTransformer.Shape shape = shape(config);
      TextBatches batches =
          new TextBatches(
              text, shape.block(), config.integer("batch", 1), config.integer("stride", 0));
      return new TrainingCase(
          shape,
          batches,
          config.integer("micro", 1),
          config.integer("steps", 0),
          OptimizerReader.read(fields.object("optimizer")),
          InitialValues.read(fields, new CharTransformer(shape, Init.seeded(0))),
          Device.CPU);
    } catch (GridException e) {
      throw new BadProgramException(fields.where() + ": " + e.getMessage());
    }
  }

  private static CharTransformer.Shape shape(JsonFields config) {
    return new CharTransformer.Shape(
        config.integer("vocab", 1),
        config.integer("block", 1),
        config.integer("layers", 1),
        config.integer("heads", 1),
        config.integer("width", 1));
  }

  /** Returns the same training with the model elsewhere. */
  TrainingCase on(Device other) {
    return new TrainingCase(shape, batches, micro, steps, optimizer, initial, other);
  }

  /** Makes the whole model, on the device. */
  CharTransformer model() {
    CharTransformer model = new CharTransformer(shape, Init.seeded(0));
    initial.load(model);
    model.to(device);
    return model;
  }

  /** Returns the mean cross entropy of all positions of some rows. */
  Variable loss(Module<Variable, Variable> model, TextBatches.Batch batch) {
    return loss(model.forward(Variable.of(batch.ids().to(device))), batch);
  }

  /** Returns the mean cross entropy of the model's scores {@code [rows, block, vocab]}. */
  Variable loss(Variable scores, TextBatches.Batch batch) {
    Tensor targets = batch.targets().reshape(batch.targets().size()).to(scores.value().device());
    return scores.reshape(-1, shape.vocab()).crossEntropy(Variable.of(targets));
  }
}
