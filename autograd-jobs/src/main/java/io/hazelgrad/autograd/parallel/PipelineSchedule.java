package io.hazelgrad.autograd.parallel;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * The order in which a stage of a pipeline computes its micro-batches. Every schedule runs the
 * forward passes in the order of the micro-batches and the backward passes too, so that all
 * schedules add the gradients in the same order and give the same bits.
 *
 * <p>With {@code K} stages and {@code M} micro-batches of equal cost, each stage is idle for {@code
 * (K-1) / (M+K-1)} of a step under both schedules. They differ in memory.
 */
public enum PipelineSchedule {
  /**
   * All forward passes, then all backward passes (Huang et al., 2019). A stage holds the
   * intermediate results of all micro-batches.
   */
  GPIPE {
    @Override
    int ahead(int stage, int stages, int micros) {
      return micros;
    }
  },

  /**
   * Some forward passes to fill the pipeline, then one forward pass and one backward pass in turn
   * (Narayanan et al., 2021). Stage {@code k} holds the intermediate results of {@code K-k}
   * micro-batches at most, however many there are.
   */
  ONE_FORWARD_ONE_BACKWARD {
    @Override
    int ahead(int stage, int stages, int micros) {
      return Math.min(micros, stages - stage - 1);
    }
  };

  /** The directions of a step. */
  public enum Direction {
    /** From the inputs to the loss. */
    FORWARD,
    /** From the loss to the inputs. */
    BACKWARD
  }

  /**
   * One pass of a stage.
   *
   * @param direction the direction of the pass
   * @param micro the number of the micro-batch, from 0
   */
  public record Step(Direction direction, int micro) {}

  /** Returns the number of forward passes before forward and backward passes take turns. */
  abstract int ahead(int stage, int stages, int micros);

  /**
   * Returns all passes of a stage in their order. If each stage follows its order, sends do not
   * wait, and receives do, then no stage waits for ever.
   *
   * @param stage the number of the stage, from 0
   * @param stages the number of all stages
   * @param micros the number of micro-batches
   * @throws GridException BAD_ARGUMENT if there is no such stage, or no micro-batch
   */
  public List<Step> steps(int stage, int stages, int micros) {
    if (stage < 0 || stage >= stages) {
      throw bad("stage=%d of stages=%d: there is no such stage".formatted(stage, stages));
    }
    if (micros < 1) {
      throw bad("micros=" + micros + ", but a step needs at least one micro-batch");
    }
    int ahead = ahead(stage, stages, micros);
    List<Step> steps = new ArrayList<>(2 * micros);
    for (int i = 0; i < micros + ahead; i++) {
      if (i < micros) {
        steps.add(new Step(Direction.FORWARD, i));
      }
      if (i >= ahead) {
        steps.add(new Step(Direction.BACKWARD, i - ahead));
      }
    }
    return steps;
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }
}
