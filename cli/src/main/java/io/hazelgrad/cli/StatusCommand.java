package io.hazelgrad.cli;

import io.hazelgrad.client.GridClient;
import io.hazelgrad.launcher.Main;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code status}: shows the workers of a grid with their counters. */
@Command(
    name = "status",
    description = "Show the workers of a grid.",
    mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
  /** The time for a worker's reply. It is shorter with --watch, which a paused worker delays. */
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final Duration WATCH_TIMEOUT = Duration.ofSeconds(2);

  @Mixin private ClusterConnection connection;

  @Option(
      names = "--json",
      description = "Print JSON: one object, or with --watch one object per line.")
  private boolean json;

  @Option(names = "--watch", description = "Repeat every second until SIGINT or SIGTERM.")
  private boolean watch;

  @Override
  public Integer call() throws InterruptedException {
    if (watch) {
      new WatchLoop(connection).run(client -> print(client, WATCH_TIMEOUT));
    } else {
      try (GridClient client = connection.connect()) {
        print(client, TIMEOUT);
      }
    }
    return Main.OK;
  }

  private void print(GridClient client, Duration timeout) {
    GridStatus status = GridStatus.of(client, connection.cluster, timeout);
    if (json) {
      System.out.println(status.json());
    } else if (watch) {
      WatchLoop.show(status.table());
    } else {
      System.out.print(status.table());
    }
    System.out.flush();
  }
}
