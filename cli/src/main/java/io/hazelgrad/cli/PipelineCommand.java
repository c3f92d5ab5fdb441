package io.hazelgrad.cli;

import io.hazelgrad.cli.demo.MicroBatchTraining;
import picocli.CommandLine.Command;
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
final class PipelineCommand extends TrainingCommand {
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

  PipelineCommand() {
    super(8);
  }

  @Override
  public Integer call() throws Exception {
    require("--micro-batches", micro, 2, MAX_MICRO);
    require("--channels", channels, 1, MAX_CHANNELS);
    return run(MicroBatchTraining.STAGES, false, () -> MicroBatchTraining.create(micro, channels));
  }
}
