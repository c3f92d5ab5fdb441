package io.hazelgrad.autograd.internal.jobs.steps;

import io.hazelgrad.autograd.jobs.TrainingOptions;
import io.hazelgrad.autograd.jobs.TrainingStep;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The rows of each step of a training on a data set. They depend on the options and the number of
 * the step only, so each trainer computes them by itself. Not safe for several threads.
 */
public final class RowOrder {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final int size;
  private final int batch;
  private final long stepsPerEpoch;
  private final long steps;
  private final boolean shuffle;
  private final long seed;

  /** The order of one epoch. */
  private int[] order = {};

  private long orderedEpoch = -1;

  public RowOrder(int size, TrainingOptions options) {
    this.size = size;
    this.batch = options.batch();
    this.stepsPerEpoch = ((long) size + batch - 1) / batch;
    long all = stepsPerEpoch * options.epochs();
    this.steps = options.steps() == 0 ? all : Math.min(all, options.steps());
    this.shuffle = options.shuffle();
    this.seed = options.seed();
  }

  /** Returns the number of all steps. */
  public long steps() {
    return steps;
  }

  /** Returns the description of a step. */
  public TrainingStep step(long number) {
    return new TrainingStep(
        number, number / stepsPerEpoch, number % stepsPerEpoch == stepsPerEpoch - 1);
  }

  /** Returns the numbers of a step's rows; the last step of an epoch may have fewer. */
  public int[] rows(long step) {
    long epoch = step / stepsPerEpoch;
    if (epoch != orderedEpoch) {
      order = order(epoch);
      orderedEpoch = epoch;
    }
    int from = (int) (step % stepsPerEpoch * batch);
    return Arrays.copyOfRange(order, from, Math.min(from + batch, size));
  }

  /** Shuffles by the method of Fisher and Yates. */
  private int[] order(long epoch) {
    int[] numbers = IntStream.range(0, size).toArray();
    if (shuffle) {
      SplittableRandom random = new SplittableRandom(seed + epoch * GOLDEN);
      for (int i = size - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        int number = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = number;
      }
    }
    return numbers;
  }
}
