package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Trains a network of three stages on three workers. A batch is split into micro-batches that
 * follow each other through the stages, so the workers compute at the same time. For comparison,
 * every second batch goes through the stages in one piece.
 */
public final class Pipeline {
  /** The number of stages, each on a worker of its own. */
  public static final int STAGES = 3;

  private static final int BATCH = 240;
  private static final long SEED = 1;

  /** The tolerance for float32 sums of another order, relative to the greatest gradient. */
  private static final double TOLERANCE = 1e-4;

  private final Random random = new Random(SEED);
  private final Digits digits = Digits.load(random);
  private final int micro;
  private final int channels;

  /**
   * Reads the digits.
   *
   * @param micro the number of micro-batches of a batch
   * @param channels the number of channels of the convolutions
   */
  public Pipeline(int micro, int channels) {
    this.micro = micro;
    this.channels = channels;
  }

  /**
   * The outcome of a training.
   *
   * @param result accuracy and steps
   * @param whole the median time of a step with the batch in one piece, in ms
   * @param split the median time of a step with micro-batches, in ms
   * @param difference the greatest difference between both gradients, relative to the greatest one
   */
  public record Result(Training.Result result, double whole, double split, double difference) {
    /** Returns the speedup by micro-batches. */
    public double speedup() {
      return whole / split;
    }
  }

  /** Returns the number of steps of an epoch. */
  public int stepsPerEpoch() {
    return digits.training().size() / BATCH;
  }

  /**
   * Trains on the workers and closes all references that it created.
   *
   * @throws IllegalStateException if the gradients of both ways differ
   */
  public Result run(Grid trainer, List<String> workers, int epochs, TrainingProgress progress) {
    List<Long> whole = new ArrayList<>();
    List<Long> split = new ArrayList<>();
    double accuracy = 0;
    double difference;
    ExecutorService feeders = Executors.newFixedThreadPool(micro, Pipeline::feeder);
    try (SplitNetwork network =
        new SplitNetwork(
            trainer,
            workers,
            (rrefs, worker, i) -> rrefs.remote(worker, Stage::ofPipeline, i, channels, SEED))) {
      difference = difference(trainer, network, feeders);
      for (int epoch = 1; epoch <= epochs; epoch++) {
        double sum = 0;
        List<ImageSet> batches = digits.training().shuffled(random).batches(BATCH);
        for (ImageSet batch : batches.subList(0, stepsPerEpoch())) {
          boolean inOnePiece = (whole.size() + split.size()) % 2 == 0;
          long start = System.nanoTime();
          double loss;
          try (Context context = Autograd.on(trainer).open()) {
            loss =
                inOnePiece
                    ? whole(context, network, batch)
                    : split(context, network, batch, feeders);
            network.step(context);
          }
          (inOnePiece ? whole : split).add(System.nanoTime() - start);
          sum += loss;
          progress.step(epoch, loss);
        }
        accuracy = network.accuracy(digits.heldOut());
        progress.epoch(epoch, sum / stepsPerEpoch(), accuracy);
      }
    } finally {
      feeders.shutdownNow();
    }
    int steps = whole.size() + split.size();
    return new Result(
        new Training.Result(accuracy, steps), millis(whole), millis(split), difference);
  }

  /** Compares the gradients of one batch in both ways, before the first step. */
  private double difference(Grid trainer, SplitNetwork network, ExecutorService feeders) {
    ImageSet batch = digits.training().slice(0, BATCH);
    List<Tensor> expected;
    try (Context context = Autograd.on(trainer).open()) {
      whole(context, network, batch);
      expected = network.gradients(context);
    }
    try (Context context = Autograd.on(trainer).open()) {
      split(context, network, batch, feeders);
      double difference = difference(expected, network.gradients(context));
      if (!(difference <= TOLERANCE)) {
        throw new IllegalStateException(
            "gradients of micro-batches differ from those of the batch by " + difference);
      }
      return difference;
    }
  }

  static double difference(List<Tensor> expected, List<Tensor> got) {
    double greatest = 0;
    for (int i = 0; i < expected.size(); i++) {
      float[] want = expected.get(i).toFloats();
      float[] have = got.get(i).toFloats();
      double apart = 0;
      double scale = 0;
      for (int k = 0; k < want.length; k++) {
        apart = Math.max(apart, Math.abs((double) want[k] - have[k]));
        scale = Math.max(scale, Math.abs(want[k]));
      }
      greatest = Math.max(greatest, apart == 0 ? 0 : apart / scale); // NaN stays NaN.
    }
    return greatest;
  }

  private static double whole(Context context, SplitNetwork network, ImageSet batch) {
    Variable loss = network.forward(batch.pixels()).crossEntropy(Variable.of(batch.labels()));
    context.backward(loss);
    return loss.value().item();
  }

  /**
   * Sends each micro-batch through the stages on a thread of its own, and starts its backward pass
   * when its loss is there. The passes add their gradients in the context.
   */
  private double split(
      Context context, SplitNetwork network, ImageSet batch, ExecutorService feeders) {
    List<CompletableFuture<Double>> parts = new ArrayList<>();
    for (int i = 0; i < micro; i++) {
      ImageSet part = batch.part(i, micro);
      parts.add(
          CompletableFuture.supplyAsync(
              () -> context.within(() -> part(context, network, part, batch.size())), feeders));
    }
    CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).join();
    return parts.stream().mapToDouble(CompletableFuture::join).sum();
  }

  private static double part(Context context, SplitNetwork network, ImageSet part, int of) {
    Variable mean = network.forward(part.pixels()).crossEntropy(Variable.of(part.labels()));
    Tensor weight = Tensor.wrap(new float[] {(float) part.size() / of});
    Variable loss = mean.mul(Variable.of(weight)).sum();
    context.backward(loss);
    return loss.value().item();
  }

  /** Returns the median of the second half; the JVMs warm up in the first half. */
  private static double millis(List<Long> nanos) {
    long[] late = nanos.stream().skip(nanos.size() / 2).mapToLong(Long::longValue).toArray();
    Arrays.sort(late);
    return late[late.length / 2] / 1e6;
  }

  private static Thread feeder(Runnable work) {
    Thread thread = new Thread(work, "micro-batch");
    thread.setDaemon(true);
    return thread;
  }
}
