package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.RemoteValue;
import java.util.List;
import java.util.Map;

/**
 * A training job as it was at most a quarter of a second ago.
 *
 * @param name the name of the job
 * @param phase what it does
 * @param message why it waits or failed; empty otherwise
 * @param step the number of steps that are made
 * @param steps the number of all steps, 0 if there is no limit
 * @param epoch the number of the epoch, from 0
 * @param loss the mean loss of the last step; NaN before the first one
 * @param rowsPerSecond the rate of the last seconds
 * @param trainers the names of the trainers
 * @param restarts how often the job went on after trainers were lost or joined
 * @param repeated the number of steps that were made again
 * @param figures the last evaluation
 * @param milliseconds the parts of a step by name, the mean of the last seconds
 */
@RemoteValue
public record TrainingStatus(
    String name,
    Phase phase,
    String message,
    long step,
    long steps,
    long epoch,
    double loss,
    double rowsPerSecond,
    List<String> trainers,
    long restarts,
    long repeated,
    Map<String, Double> figures,
    Map<String, Double> milliseconds) {
  /** The phase of a job. */
  @RemoteValue
  public enum Phase {
    /** It has made no step since it was started or restarted. */
    STARTING,
    /** It makes steps. */
    RUNNING,
    /** It has fewer trainers than its minimum, and waits for more. */
    WAITING,
    /** It was suspended, and waits for {@link TrainingJob#resume()}. */
    SUSPENDED,
    /** All steps are made, and the result is there. */
    COMPLETED,
    /** It was cancelled. */
    CANCELLED,
    /** It failed; the message says why. */
    FAILED
  }

  /** Copies the collections. */
  public TrainingStatus {
    trainers = List.copyOf(trainers);
    figures = Map.copyOf(figures);
    milliseconds = Map.copyOf(milliseconds);
  }

  /** Returns the same in another phase. */
  public TrainingStatus in(Phase newPhase, String newMessage) {
    return new TrainingStatus(
        name,
        newPhase,
        newMessage,
        step,
        steps,
        epoch,
        loss,
        rowsPerSecond,
        trainers,
        restarts,
        repeated,
        figures,
        milliseconds);
  }
}
