package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClientNotActiveException;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.Main;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
  private static final long PERIOD_SECONDS = 1;
  private static final long LEAVE_SECONDS = 5;

  /** The launcher script sets this property to true if the standard output is a terminal. */
  private static final String TERMINAL = "hazelgrad.terminal.out";

  /** Moves a terminal's cursor to the top left and clears the screen. */
  private static final String CLEAR = "\033[H\033[J";

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
      watch();
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
      System.out.println((Boolean.getBoolean(TERMINAL) ? CLEAR : "") + status.table());
    } else {
      System.out.print(status.table());
    }
    System.out.flush();
  }

  /**
   * Prints every second. After a signal the client disconnects, so that it does not count as lost.
   */
  private void watch() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    Thread hook =
        new Thread(
            () -> {
              asked.countDown();
              left.completeOnTimeout(false, LEAVE_SECONDS, TimeUnit.SECONDS).join();
            },
            "status-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try (GridClient client = connection.connect()) {
      do {
        print(client, WATCH_TIMEOUT);
      } while (!asked.await(PERIOD_SECONDS, TimeUnit.SECONDS));
    } catch (GridException | HazelcastClientNotActiveException e) {
      throw new FailedException("the connection to " + connection.cluster + " was lost: " + e, e);
    } finally {
      left.complete(true);
    }
  }
}
