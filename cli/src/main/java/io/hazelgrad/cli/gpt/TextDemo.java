package io.hazelgrad.cli.gpt;

import io.hazelgrad.autograd.NoGrad;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.autograd.nn.Init;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.GridAccess;
import io.hazelgrad.grid.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleConsumer;

/** Trains a transformer of characters on a text, and lets it write a text of its own. */
public final class TextDemo {
  private static final CharTransformer.Shape SHAPE = new CharTransformer.Shape(128, 48, 4, 4, 64);
  private static final int BATCH = 16;
  private static final int MICRO = 4;
  private static final int STRIDE = 37;
  private static final double RATE = 3e-3;
  private static final double TEMPERATURE = 0.6;
  private static final int ASCII = 128;
  private static final long LOOK_MILLIS = 200;

  private final TrainingCase training;

  private TextDemo(TrainingCase training) {
    this.training = training;
  }

  /**
   * Makes the demo of a text.
   *
   * @param text at least 50 characters; those that are not ASCII become question marks
   * @param steps the number of steps
   * @throws io.hazelgrad.grid.GridException BAD_ARGUMENT if the text is too short
   */
  public static TextDemo of(String text, int steps) {
    StringBuilder ascii = new StringBuilder();
    text.chars().map(each -> each < ASCII ? each : '?').forEach(each -> ascii.append((char) each));
    return new TextDemo(
        new TrainingCase(
            SHAPE,
            new TextBatches(ascii.toString(), SHAPE.block(), BATCH, STRIDE),
            MICRO,
            steps,
            AdamW.defaults().withLearningRate(RATE),
            InitialValues.of(new CharTransformer(SHAPE, Init.seeded(0)), SHAPE.width()),
            Device.CPU));
  }

  /** Returns the bundled text: the licence. */
  public static String bundledText() {
    try (InputStream in =
        Objects.requireNonNull(TextDemo.class.getResourceAsStream("LICENSE"), "LICENSE")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The result of a training.
   *
   * @param loss the mean cross entropy of the last step, in nats for each character
   * @param model the trained parameters by name
   */
  public record Result(double loss, Map<String, Tensor> model) {
    /** Copies the map. */
    public Result {
      model = Map.copyOf(model);
    }
  }

  /** Trains on workers; {@code progress} gets the loss of each step. */
  public Result train(
      GridAccess grid, List<String> workers, Parallelism parallelism, DoubleConsumer progress) {
    List<CompletableFuture<WorkerReport>> parts =
        TrainingTask.begin(grid, training, workers, parallelism, true);
    CompletableFuture<Void> all = CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    int seen = 0;
    while (!isDone(all, parts)) {
      List<Double> more = grid.rpc().sync(workers.get(0), TrainingFunctions::lossesFrom, seen);
      more.forEach(progress::accept);
      seen += more.size();
    }
    List<WorkerReport> reports = parts.stream().map(CompletableFuture::join).toList();
    List<Double> losses = reports.get(0).losses();
    losses.stream().skip(seen).forEach(progress::accept);
    Map<String, Tensor> model = new LinkedHashMap<>();
    reports.forEach(report -> model.putAll(report.state()));
    return new Result(losses.get(losses.size() - 1), model);
  }

  /** Waits for a moment; a part that failed ends the training at once. */
  private static boolean isDone(
      CompletableFuture<Void> all, List<CompletableFuture<WorkerReport>> parts) {
    parts.stream()
        .filter(CompletableFuture::isCompletedExceptionally)
        .forEach(CompletableFuture::join);
    try {
      all.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true; // join() throws the same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Lets a trained model go on with a beginning of at least one character. */
  @SuppressWarnings("try") // The scope has no use but its end.
  public static String write(Result result, String beginning, int length) {
    CharTransformer model = new CharTransformer(SHAPE, Init.seeded(0));
    model.load(result.model());
    model.eval();
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(beginning);
    try (NoGrad scope = NoGrad.begin()) {
      for (int i = 0; i < length; i++) {
        text.append(next(model, text, random));
      }
    }
    return text.toString();
  }

  private static char next(CharTransformer model, CharSequence text, Random random) {
    int from = Math.max(0, text.length() - SHAPE.block());
    long[] ids = text.subSequence(from, text.length()).chars().mapToLong(each -> each).toArray();
    double[] scores =
        model.forward(Variable.of(Tensor.wrap(ids, 1, ids.length))).value().toDoubles();
    double[] weights = new double[SHAPE.vocab()];
    int last = scores.length - SHAPE.vocab();
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      weights[i] = Math.exp(scores[last + i] / TEMPERATURE);
      sum += weights[i];
    }
    double left = random.nextDouble() * sum;
    int chosen = 0;
    while (chosen < weights.length - 1 && left >= weights[chosen]) {
      left -= weights[chosen++];
    }
    return (char) chosen;
  }
}
