package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.PipelineSchedule.Direction;
import io.hazelgrad.autograd.parallel.StepTimes.Part;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of one stage: its passes, and the micro-batches whose backward pass is still to come.
 */
final class PipelineStep {
  private final Collective stages;
  private final Module<Variable, Variable> stage;
  private final int micros;
  private final long number;
  private final @Nullable List<Tensor> inputs;
  private final Pipeline.@Nullable Loss loss;
  private final StepTimes times;
  private final Map<Integer, Held> held = new HashMap<>();
  private double losses;

  /** A micro-batch that is between its passes; the output of the last stage is its loss. */
  private record Held(Variable input, Variable output) {}

  PipelineStep(
      Collective stages,
      Module<Variable, Variable> stage,
      int micros,
      long number,
      @Nullable List<Tensor> inputs,
      Pipeline.@Nullable Loss loss,
      StepTimes times) {
    this.stages = stages;
    this.stage = stage;
    this.micros = micros;
    this.number = number;
    this.inputs = inputs;
    this.loss = loss;
    this.times = times;
  }

  void forward(int micro) {
    Variable input =
        inputs == null
            ? leaf(receive(stages.rank() - 1, Direction.FORWARD, micro))
            : Variable.of(inputs.get(micro));
    Variable output = stage.forward(input);
    if (loss == null) {
      send(stages.rank() + 1, Direction.FORWARD, micro, output.value());
    } else {
      output = scaled(micro, loss.of(micro, output));
    }
    held.put(micro, new Held(input, output));
  }

  private static Variable leaf(Tensor value) {
    return value.dtype().isFloating() ? Variable.parameter(value) : Variable.of(value);
  }

  private Variable scaled(int micro, Variable each) {
    Tensor value = each.value();
    if (value.size() != 1 || !each.requiresGrad()) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "the loss of micro-batch %d is no scalar that needs a gradient: %s"
              .formatted(micro, each));
    }
    losses += value.item();
    return each.div(Variable.of(Tensor.full(value.dtype(), micros).to(value.device())));
  }

  void backward(int micro) {
    Held passed = held.remove(micro);
    if (passed == null) {
      throw new IllegalStateException("micro-batch " + micro + " was not passed forward");
    }
    if (loss != null) {
      passed.output.backward();
    } else if (passed.output.value().dtype().isFloating()) {
      backward(passed.output, receive(stages.rank() + 1, Direction.BACKWARD, micro));
    }
    Tensor value = passed.input.value();
    if (inputs == null && value.dtype().isFloating()) {
      Tensor gradient = passed.input.grad();
      Tensor sent = gradient == null ? Tensor.zeros(value.dtype(), value.shape()) : gradient;
      send(stages.rank() - 1, Direction.BACKWARD, micro, sent);
    }
  }

  /** Begins a pass with a gradient: that of the sum of products is the other factor, exactly. */
  private static void backward(Variable output, Tensor gradient) {
    if (output.requiresGrad()) {
      output.mul(Variable.of(gradient.to(output.value().device()))).sum().backward();
    }
  }

  double meanLoss() {
    return losses / micros;
  }

  private void send(int to, Direction direction, int micro, Tensor tensor) {
    var unused = stages.send(to, tag(direction, micro), List.of(tensor)); // Its failure ends all.
  }

  private Tensor receive(int from, Direction direction, int micro) {
    return times.call(Part.WAITING, () -> stages.receive(from, tag(direction, micro)).get(0));
  }

  private long tag(Direction direction, int micro) {
    return 2 * (number * micros + micro) + (direction == Direction.FORWARD ? 0 : 1);
  }
}
