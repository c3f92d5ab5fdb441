package io.hazelgrad.cli;

import io.hazelgrad.launcher.BadInputException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** Refuses {@code bench} in a distribution, which has no benchmarks. */
@Command(name = "bench", hidden = true)
final class MissingBenchCommand implements Runnable {
  /** All arguments, so that none of them is refused before the command is. */
  @Unmatched private List<String> arguments = new ArrayList<>();

  @Override
  public void run() {
    throw new BadInputException(
        "bench needs a checkout: a distribution has no benchmarks; run ./hazelgrad bench"
            + (arguments.isEmpty() ? "" : " " + String.join(" ", arguments))
            + " in a checkout");
  }
}
