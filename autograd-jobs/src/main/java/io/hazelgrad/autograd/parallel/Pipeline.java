package io.hazelgrad.autograd.parallel;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Module;
import io.hazelgrad.autograd.parallel.PipelineSchedule.Direction;
import io.hazelgrad.autograd.parallel.PipelineSchedule.Step;
import io.hazelgrad.autograd.parallel.StepTimes.Part;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.grid.collective.Collective;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One worker's stage of a pipeline: a model is cut into stages, a batch into micro-batches, and the
 * stages compute different micro-batches at the same time.
 *
 * <p>Each worker of a collective has the stage of its rank. All call {@code step} for the same
 * batch: the first stage gives the inputs, the last one the loss, and no other worker is involved.
 *
 * <pre>{@code
 * try (Collective stages = Collectives.on(grid).join("stages", List.of("w0", "w1", "w2"))) {
 *   Pipeline pipeline =
 *       Pipeline.of(stages, module, 8, PipelineSchedule.ONE_FORWARD_ONE_BACKWARD);
 *   LocalOptimizer optimizer = LocalOptimizer.of(Sgd.of(0.1), module.parameters());
 *   for (Batch batch : batches) {
 *     double loss;
 *     if (pipeline.isFirst()) {
 *       loss = pipeline.step(batch.inputs()); // Eight tensors.
 *     } else if (pipeline.isLast()) {
 *       loss = pipeline.step((micro, output) -> output.crossEntropy(batch.target(micro)));
 *     } else {
 *       loss = pipeline.step();
 *     }
 *     optimizer.step();
 *     optimizer.zeroGrad();
 *   }
 * }
 * }</pre>
 *
 * <p><b>Gradients.</b> A step adds to {@link Variable#grad()} of the parameters of each stage the
 * gradient of the mean of the losses. The loss of each micro-batch is divided by their number, and
 * the gradients are added in the order of the micro-batches. So the bits depend neither on the
 * schedule nor on timing.
 *
 * <p><b>Activations.</b> Stages send each other the values of their outputs, and gradients if the
 * values are of a floating-point type. A received value is a leaf on the CPU.
 *
 * <p><b>Errors.</b> A step that fails at one stage closes the collective, because the stages could
 * not agree on the next message. It then fails at all stages: with WORKER_LOST and the name if one
 * was lost, otherwise with CLOSED and the name of the worker on which it failed. The gradients of
 * parameters have no defined value then. Join again and make a new pipeline. Wrong arguments are
 * refused before the step begins, and change nothing.
 *
 * <p>Threads: one at a time. The collective carries one pipeline at a time.
 */
public final class Pipeline {
  private final Collective stages;
  private final Module<Variable, Variable> stage;
  private final int micros;
  private final List<Step> order;
  private final StepTimes times;
  private long number;

  /** Computes the loss of a micro-batch at the last stage. */
  @FunctionalInterface
  public interface Loss {
    /**
     * Computes the loss.
     *
     * @param micro the number of the micro-batch, from 0
     * @param output the output of the last stage
     * @return a scalar that depends on the output
     */
    Variable of(int micro, Variable output);
  }

  private Pipeline(
      Collective stages, Module<Variable, Variable> stage, int micros, List<Step> order) {
    this.stages = stages;
    this.stage = stage;
    this.micros = micros;
    this.order = order;
    this.times = StepTimes.ofLoop(stages);
  }

  /**
   * Makes this worker's stage. All stages give the same number and schedule.
   *
   * @param stages the workers of the pipeline; the rank of a worker is the number of its stage
   * @param stage the part of the model that this worker computes
   * @param micros the number of micro-batches of a batch
   * @throws GridException BAD_ARGUMENT if there is no micro-batch
   */
  public static Pipeline of(
      Collective stages, Module<Variable, Variable> stage, int micros, PipelineSchedule schedule) {
    return new Pipeline(
        stages, stage, micros, schedule.steps(stages.rank(), stages.size(), micros));
  }

  /** Returns whether this stage takes the inputs. */
  public boolean isFirst() {
    return stages.rank() == 0;
  }

  /** Returns whether this stage computes the loss. */
  public boolean isLast() {
    return stages.rank() == stages.size() - 1;
  }

  /**
   * Does a step of the first stage of several.
   *
   * @param inputs the inputs of the micro-batches; they get no gradients
   * @return the mean of the losses
   * @throws GridException BAD_ARGUMENT if this is not the first stage or the only one, or the
   *     number of inputs is not that of the micro-batches; why the step failed
   */
  public double step(List<Tensor> inputs) {
    return run(inputs, null);
  }

  /**
   * Does a step of a stage between the first and the last one.
   *
   * @return the mean of the losses
   * @throws GridException BAD_ARGUMENT if this is the first or the last stage; why the step failed
   */
  public double step() {
    return run(null, null);
  }

  /**
   * Does a step of the last stage of several.
   *
   * @return the mean of the losses
   * @throws GridException BAD_ARGUMENT if this is not the last stage, or the only one; why the step
   *     failed
   */
  public double step(Loss loss) {
    return run(null, loss);
  }

  /**
   * Does a step of the only stage of a pipeline.
   *
   * @param inputs the inputs of the micro-batches; they get no gradients
   * @return the mean of the losses
   * @throws GridException BAD_ARGUMENT if there are other stages, or the number of inputs is not
   *     that of the micro-batches; why the step failed
   */
  public double step(List<Tensor> inputs, Loss loss) {
    return run(inputs, loss);
  }

  private double run(@Nullable List<Tensor> inputs, @Nullable Loss loss) {
    check("inputs", inputs != null, isFirst(), "first");
    check("a loss", loss != null, isLast(), "last");
    if (inputs != null && inputs.size() != micros) {
      throw bad(
          "a step of %d micro-batches was given %d inputs, but each takes one"
              .formatted(micros, inputs.size()));
    }
    if (NoGrad.isActive()) {
      throw bad("a step within NoGrad would record nothing; leave the scope before");
    }
    try {
      PipelineStep step = new PipelineStep(stages, stage, micros, number++, inputs, loss, times);
      for (Step each : order) {
        if (each.direction() == Direction.FORWARD) {
          times.run(Part.FORWARD, () -> step.forward(each.micro()));
        } else {
          times.run(Part.BACKWARD, () -> step.backward(each.micro()));
        }
      }
      Tensor mean = Tensor.scalar(step.meanLoss()); // Only that of the last stage counts.
      List<Tensor> means =
          times.call(
              Part.WAITING, () -> Rpc.await(stages.broadcast(List.of(mean), stages.size() - 1)));
      times.endStep(0);
      return means.get(0).item();
    } catch (Throwable e) {
      stages.close();
      throw e;
    }
  }

  private void check(String what, boolean given, boolean needed, String which) {
    if (given != needed) {
      throw bad(
          "stage %d of %d was %sgiven %s, but the %s stage takes %s, and no other one does"
              .formatted(stages.rank(), stages.size(), given ? "" : "not ", what, which, what));
    }
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
