package io.hazelgrad.autograd.jobs;

import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.RemoteValue;
import io.hazelgrad.grid.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a training job; {@link #builder()} has their defaults.
 *
 * @param batch the number of rows of a step over all trainers
 * @param epochs how often all rows of a data set are used; a stream has no epochs
 * @param steps the most steps, 0 for no limit
 * @param shuffle whether each epoch has an order of its own; only for a data set
 * @param seed the seed of these orders and of dropout
 * @param shards the number of shards of a batch in deterministic mode, 0 for the quick mode
 * @param role the role of the workers that train; empty for all workers
 * @param minTrainers the number of trainers without which the job waits
 * @param snapshotEvery the time between two snapshots
 * @param stepTimeout the longest wait of a trainer for the others
 * @param evaluateEvery the number of steps between two evaluations, 0 for none
 * @param earlyStopping when to end before all steps are made; null for never
 */
@RemoteValue
public record TrainingOptions(
    int batch,
    int epochs,
    long steps,
    boolean shuffle,
    long seed,
    int shards,
    String role,
    int minTrainers,
    Duration snapshotEvery,
    Duration stepTimeout,
    int evaluateEvery,
    @Nullable EarlyStopping earlyStopping) {
  /** Checks the numbers: BAD_ARGUMENT. */
  public TrainingOptions {
    atLeast("batch", batch, 1);
    atLeast("epochs", epochs, 1);
    atLeast("steps", steps, 0);
    atLeast("shards", shards, 0);
    atLeast("minTrainers", minTrainers, 1);
    atLeast("evaluateEvery", evaluateEvery, 0);
    atLeast("snapshotEvery in milliseconds", snapshotEvery.toMillis(), 1);
    atLeast("stepTimeout in milliseconds", stepTimeout.toMillis(), 1);
    if (shards != 0 && shards < minTrainers) {
      throw bad("shards=%d are fewer than minTrainers=%d".formatted(shards, minTrainers));
    }
    if (earlyStopping != null && evaluateEvery == 0) {
      throw bad("earlyStopping needs evaluateEvery, which is 0");
    }
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw bad("%s=%d must be at least %d".formatted(name, value, least));
    }
  }

  private static GridException bad(String message) {
    return new GridException(Status.BAD_ARGUMENT, message);
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builds options. Not safe for several threads. */
  public static final class Builder {
    private static final int DEFAULT_BATCH = 32;
    private static final Duration DEFAULT_SNAPSHOT = Duration.ofSeconds(1);
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

    private int batch = DEFAULT_BATCH;
    private int epochs = 1;
    private long steps;
    private boolean shuffle = true;
    private long seed;
    private int shards;
    private String role = "";
    private int minTrainers = 1;
    private Duration snapshotEvery = DEFAULT_SNAPSHOT;
    private Duration stepTimeout = DEFAULT_TIMEOUT;
    private int evaluateEvery;
    private @Nullable EarlyStopping earlyStopping;

    private Builder() {}

    /** Sets the number of rows of a step over all trainers; 32 by default. */
    public Builder batch(int rows) {
      batch = rows;
      return this;
    }

    /** Sets how often all rows of a data set are used; 1 by default. */
    public Builder epochs(int count) {
      epochs = count;
      return this;
    }

    /** Sets the most steps; no limit by default. A stream without a limit ends when cancelled. */
    public Builder steps(long most) {
      steps = most;
      return this;
    }

    /** Sets whether each epoch of a data set has an order of its own; true by default. */
    public Builder shuffle(boolean each) {
      shuffle = each;
      return this;
    }

    /** Sets the seed of the order of the rows and of dropout; 0 by default. */
    public Builder seed(long number) {
      seed = number;
      return this;
    }

    /**
     * Switches deterministic mode on: each batch is cut into this many shards, whose gradients are
     * summed in order. Then the result has the same bits whatever number of trainers made it. At
     * most so many workers train. By default it is off.
     */
    public Builder deterministic(int shardsOfBatch) {
      shards = shardsOfBatch;
      return this;
    }

    /** Sets the role of the workers that train; by default all do. */
    public Builder role(String name) {
      role = name;
      return this;
    }

    /** Sets the number of trainers without which the job waits; 1 by default. */
    public Builder minTrainers(int least) {
      minTrainers = least;
      return this;
    }

    /**
     * Sets the time between two snapshots; 1 s by default. It grows by itself where snapshots would
     * cost more than 3 % of the time.
     */
    public Builder snapshotEvery(Duration time) {
      snapshotEvery = time;
      return this;
    }

    /** Sets the longest wait of a trainer for the others; a minute by default. */
    public Builder stepTimeout(Duration time) {
      stepTimeout = time;
      return this;
    }

    /** Sets the number of steps between two evaluations; by default there are none. */
    public Builder evaluateEvery(int count) {
      evaluateEvery = count;
      return this;
    }

    /** Ends the training when a figure does not become better; never by default. */
    public Builder earlyStopping(EarlyStopping rule) {
      earlyStopping = rule;
      return this;
    }

    /** Makes the options; BAD_ARGUMENT if a number is out of range. */
    public TrainingOptions build() {
      return new TrainingOptions(
          batch,
          epochs,
          steps,
          shuffle,
          seed,
          shards,
          role,
          minTrainers,
          snapshotEvery,
          stepTimeout,
          evaluateEvery,
          earlyStopping);
    }
  }
}
