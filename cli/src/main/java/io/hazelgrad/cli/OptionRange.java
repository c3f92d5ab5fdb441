package io.hazelgrad.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** A check of an option's number. */
final class OptionRange {
  private OptionRange() {}

  /** Throws an error that names the option and its range if a number is outside of it. */
  static void require(CommandSpec spec, String option, int value, int least, int most) {
    if (value < least || value > most) {
      String range =
          most == Integer.MAX_VALUE ? "at least " + least : "between " + least + " and " + most;
      throw new ParameterException(spec.commandLine(), option + " must be " + range + ": " + value);
    }
  }
}
