package io.hazelgrad.cli;

import io.hazelgrad.cli.TrainingOptions.Outcome;
import io.hazelgrad.cli.TrainingOptions.Task;
import io.hazelgrad.cli.demo.Pipeline;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo {@code pipeline}: trains a network of three stages with micro-batches. */
@Command(
    name = "pipeline",
    description = {
      "Train a network of three stages, each on a worker JVM of its own, on handwritten digits."
          + " Every other batch is split into micro-batches that follow each other through the"
          + " stages; the result says how much faster that is."
    },
    mixinStandardHelpOptions = true)
final class PipelineCommand implements Callable<Integer> {
  private static final int MAX_MICRO = 16;
  private static final int MAX_CHANNELS = 256;

  @Option(
      names = "--micro-batches",
      defaultValue = "4",
      paramLabel = "N",
      description =
          "The number of micro-batches of a batch, 2 to "
              + MAX_MICRO
              + " (default: ${DEFAULT-VALUE}).")
  private int micro;

  @Option(
      names = "--channels",
      defaultValue = "16",
      paramLabel = "N",
      description =
          "The number of channels of the convolutions, 1 to "
              + MAX_CHANNELS
              + " (default: ${DEFAULT-VALUE}).")
  private int channels;

  @Option(
      names = "--epochs",
      defaultValue = "8",
      paramLabel = "N",
      description = "The number of epochs (default: ${DEFAULT-VALUE}).")
  private int epochs;

  @Mixin private TrainingOptions options;

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  PipelineCommand() {}

  @Override
  public Integer call() throws Exception {
    options.require("--micro-batches", micro, 2, MAX_MICRO);
    options.require("--channels", channels, 1, MAX_CHANNELS);
    options.require("--epochs", epochs, 1, Integer.MAX_VALUE);
    Pipeline pipeline = new Pipeline(micro, channels);
    return options.train(
        new Task("pipeline", Pipeline.STAGES, pipeline.stepsPerEpoch(), epochs),
        (grid, names, progress) -> outcome(pipeline.run(grid, names, epochs, progress)));
  }

  private Outcome outcome(Pipeline.Result result) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("whole_batch_ms", result.whole());
    figures.put("micro_batches_ms", result.split());
    figures.put("speedup", result.speedup());
    figures.put("gradient_difference", result.difference());
    String remark =
        String.format(
            Locale.ROOT,
            "; a step takes %.1f ms with the batch in one piece, %.1f ms with %d micro-batches:"
                + " %.2f times as fast on %d cores; gradients are equal but for %.1e",
            result.whole(),
            result.split(),
            micro,
            result.speedup(),
            Runtime.getRuntime().availableProcessors(),
            result.difference());
    return new Outcome(result.result(), figures, remark);
  }
}
