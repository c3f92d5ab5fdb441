package io.hazelgrad.launcher;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The subcommand {@code archive}: makes the archive of classes from which processes start. */
@Command(
    name = "archive",
    description =
        "Make the archive of classes that lets commands and workers start quickly. Commands that"
            + " start workers make it by themselves; member only uses it.",
    mixinStandardHelpOptions = true)
final class ArchiveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets the field. */
  @SuppressWarnings("NullAway.Init")
  ArchiveCommand() {}

  @Override
  public Integer call() {
    ClassArchive archive =
        FastStart.archive()
            .orElseThrow(
                () ->
                    new BadInputException(
                        "the launcher named no file for the archive: the system property "
                            + FastStart.ARCHIVE
                            + " is missing or empty; ls and cksum must be on the PATH"));
    if (!archive.make(() -> {})) {
      throw new FailedException(
          "cannot make " + archive.file() + "; --verbose shows the reason; all runs without it");
    }
    spec.commandLine().getOut().println(archive.file());
    return Main.OK;
  }
}
