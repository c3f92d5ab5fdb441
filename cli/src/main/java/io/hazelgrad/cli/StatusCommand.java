package io.hazelgrad.cli;

import io.hazelgrad.cli.status.GridStatus;
import io.hazelgrad.client.GridClient;
import java.time.Duration;
import picocli.CommandLine.Command;

/** The subcommand {@code status}: shows the workers of a grid with their counters. */
@Command(
    name = "status",
    description = "Show the workers of a grid.",
    mixinStandardHelpOptions = true)
final class StatusCommand extends ViewCommand {
  /** The time for a worker's reply. It is shorter with --watch, which a paused worker delays. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final Duration WATCH_TIMEOUT = Duration.ofSeconds(2);

  @Override
  Source connect(ClusterConnection to) {
    return Source.of(to.connect(), this::view);
  }

  private View view(GridClient client) {
    GridStatus status = GridStatus.of(client, cluster(), isWatching() ? WATCH_TIMEOUT : TIMEOUT);
    return new View(status.json(), status.table());
  }
}
