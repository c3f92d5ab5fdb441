package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClientNotActiveException;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.Main;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the workers of a grid, what they own and hold, and what they are doing. */
@Command(
    name = "status",
    description = "Show the workers of a grid.",
    mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
  /** How long a worker has to answer; less while watching, so that a frozen one stops nothing. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration WATCHING_PATIENCE = Duration.ofSeconds(2);
  private static final long PERIOD_SECONDS = 1;

  /** How long the process may take to leave the grid when it is asked to end. */
  private static final long LEAVE_SECONDS = 5;

  /** Set by the launcher: whether the standard output is a terminal. */
  private static final String TERMINAL = "hazelgrad.terminal.out";

  /** To the top left, and nothing below. */
  private static final String CLEAR = "\033[H\033[J";

  @Mixin private ClusterConnection connection;

  @Option(names = "--json", description = "Print JSON: one object, with --watch one a line.")
  private boolean json;

  @Option(names = "--watch", description = "Go on, anew each second, until SIGINT or SIGTERM.")
  private boolean watch;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  StatusCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (watch) {
      watch();
    } else {
      try (GridClient client = connection.connect()) {
        print(client, PATIENCE);
      }
    }
    return Main.OK;
  }

  private void print(GridClient client, Duration patience) {
    GridStatus status = GridStatus.of(client, connection.cluster(), patience);
    if (json) {
      System.out.println(status.json());
    } else if (watch) {
      System.out.println((Boolean.getBoolean(TERMINAL) ? CLEAR : "") + status.table());
    } else {
      System.out.print(status.table());
    }
    System.out.flush();
  }

  /** A signal ends it at once, and orderly: the grid need not find out that a client is lost. */
  private void watch() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              asked.countDown();
              awaitQuietly(left);
            },
            "status-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try (GridClient client = connection.connect()) {
      do {
        print(client, WATCHING_PATIENCE);
      } while (!asked.await(PERIOD_SECONDS, TimeUnit.SECONDS));
    } catch (GridException | HazelcastClientNotActiveException e) {
      throw new FailedException("the connection to " + connection.cluster() + " was lost: " + e, e);
    } finally {
      left.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch left) {
    try {
      boolean unused = left.await(LEAVE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
