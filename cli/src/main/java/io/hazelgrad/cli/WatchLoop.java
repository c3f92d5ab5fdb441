package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClientNotActiveException;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.FailedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Shows something of a grid every second until SIGINT or SIGTERM. */
record WatchLoop(ClusterConnection connection) {
  private static final long PERIOD_SECONDS = 1;
  private static final long LEAVE_SECONDS = 5;

  /** The launcher script sets this property to true if the standard output is a terminal. */
  private static final String TERMINAL = "hazelgrad.terminal.out";

  /** Moves a terminal's cursor to the top left and clears the screen. */
  private static final String CLEAR = "\033[H\033[J";

  /** Prints a text in the place of the last one. */
  static void show(String text) {
    System.out.println((Boolean.getBoolean(TERMINAL) ? CLEAR : "") + text);
  }

  /** Connects and shows. After a signal it disconnects, so that it does not count as lost. */
  void run(Consumer<GridClient> printer) throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Boolean> left = new CompletableFuture<>();
    Thread hook =
        new Thread(
            () -> {
              asked.countDown();
              left.completeOnTimeout(false, LEAVE_SECONDS, TimeUnit.SECONDS).join();
            },
            "watch-end");
    Runtime.getRuntime().addShutdownHook(hook);
    try (GridClient client = connection.connect()) {
      do {
        printer.accept(client);
      } while (!asked.await(PERIOD_SECONDS, TimeUnit.SECONDS));
    } catch (GridException | HazelcastClientNotActiveException e) {
      throw new FailedException("the connection to " + connection.cluster + " was lost: " + e, e);
    } finally {
      left.complete(true);
    }
  }
}
