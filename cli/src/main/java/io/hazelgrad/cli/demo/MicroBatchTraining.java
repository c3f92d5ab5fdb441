package io.hazelgrad.cli.demo;

import io.hazelgrad.autograd.Autograd;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Trains a network of three stages on three workers. A batch is split into micro-batches that
 * follow each other through the stages, so the workers compute at the same time. For comparison,
 * every second batch goes through the stages in one piece. The result has the median times of both
 * kinds of steps, and the greatest difference between their gradients relative to the greatest one.
 */
public final class MicroBatchTraining extends Training {
  /** The number of stages, each on a worker of its own. */
  public static final int STAGES = 3;

  private static final int BATCH = 240;

  /** The tolerance for float32 sums of another order, relative to the greatest gradient. */
  private static final double TOLERANCE = 1e-4;

  private final int micro;
  private final ExecutorService feeders;
  private final List<Long> whole = new ArrayList<>();
  private final List<Long> split = new ArrayList<>();
  private double difference;

  private MicroBatchTraining(int micro, int channels, Digits digits, Random random) {
    super(
        digits.training(),
        digits.heldOut(),
        BATCH,
        (rrefs, worker, i, n) -> rrefs.remote(worker, Stage::ofPipeline, i, channels, SEED),
        random);
    this.micro = micro;
    this.feeders = Executors.newFixedThreadPool(micro);
  }

  /**
   * Reads the digits.
   *
   * @param micro the number of micro-batches of a batch
   * @param channels the number of channels of the convolutions
   */
  public static MicroBatchTraining create(int micro, int channels) {
    Random random = new Random(SEED);
    return new MicroBatchTraining(micro, channels, Digits.load(random), random);
  }

  @Override
  public int stepsPerEpoch() {
    return training.size() / BATCH; // A smaller batch at the end would be no comparison.
  }

  /** Trains once only; throws IllegalStateException if the gradients of both ways differ. */
  @Override
  public Result run(
      GridAccess trainer, List<String> workers, int epochs, TrainingProgress progress) {
    try {
      return result(super.run(trainer, workers, epochs, progress).accuracy());
    } finally {
      feeders.shutdownNow();
    }
  }

  private Result result(double accuracy) {
    double wholeMillis = millis(whole);
    double splitMillis = millis(split);
    double speedup = wholeMillis / splitMillis;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("whole_batch_ms", wholeMillis);
    figures.put("micro_batches_ms", splitMillis);
    figures.put("speedup", speedup);
    figures.put("gradient_difference", difference);
    String remark =
        String.format(
            Locale.ROOT,
            "; a step takes %.1f ms with the batch in one piece, %.1f ms with %d micro-batches:"
                + " %.2f times as fast on %d cores; gradients are equal but for %.1e",
            wholeMillis,
            splitMillis,
            micro,
            speedup,
            Runtime.getRuntime().availableProcessors(),
            difference);
    return new Result(accuracy, figures, remark);
  }

  /** Compares the gradients of one batch in both ways. */
  @Override
  void start(GridAccess trainer, SplitNetwork network) {
    ImageSet batch = training.slice(0, BATCH);
    List<Tensor> expected;
    try (Context context = Autograd.on(trainer).open()) {
      backward(context, network, batch);
      expected = network.gradients(context);
    }
    try (Context context = Autograd.on(trainer).open()) {
      split(context, network, batch);
      difference = difference(expected, network.gradients(context));
    }
    if (!(difference <= TOLERANCE)) {
      throw new IllegalStateException(
          "gradients of micro-batches differ from those of the batch by " + difference);
    }
  }

  private static double difference(List<Tensor> expected, List<Tensor> got) {
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

  @Override
  double step(GridAccess trainer, SplitNetwork network, ImageSet batch) {
    boolean inOnePiece = (whole.size() + split.size()) % 2 == 0;
    long start = System.nanoTime();
    double loss;
    try (Context context = Autograd.on(trainer).open()) {
      loss = inOnePiece ? backward(context, network, batch) : split(context, network, batch);
      network.step(context);
    }
    (inOnePiece ? whole : split).add(System.nanoTime() - start);
    return loss;
  }

  /**
   * Sends each micro-batch through the stages on a thread of its own, and starts its backward pass
   * when its loss is there. The passes add their gradients in the context.
   */
  private double split(Context context, SplitNetwork network, ImageSet batch) {
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
}
