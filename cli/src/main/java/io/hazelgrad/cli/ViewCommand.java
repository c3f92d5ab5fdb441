package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClientNotActiveException;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.EndSignal;
import io.hazelgrad.launcher.FailedException;
import io.hazelgrad.launcher.Main;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that shows something of a running grid, once or every second. */
abstract class ViewCommand implements Callable<Integer> {
  private static final long PERIOD_SECONDS = 1;

  /** The launcher script sets this property to true if the standard output is a terminal. */
  private static final String TERMINAL = "hazelgrad.terminal.out";

  /** Moves a terminal's cursor to the top left and clears the screen. */
  private static final String CLEAR = "\033[H\033[J";

  @Mixin private ClusterConnection connection;

  @Option(
      names = "--json",
      description = "Print JSON in one line, or with --watch a line each second.")
  private boolean json;

  @Option(names = "--watch", description = "Repeat every second until SIGINT or SIGTERM.")
  private boolean watch;

  /**
   * A view of a grid at one moment.
   *
   * @param json the view as JSON
   * @param table the view for people, which ends with a line break
   */
  record View(Object json, String table) {}

  /** A connection to a grid, through which it is looked at. */
  interface Source extends AutoCloseable {
    /** Looks at the grid. */
    View view();

    @Override
    void close();

    /** Returns a source over a client, which it closes. */
    static Source of(GridClient client, Function<GridClient, View> view) {
      return new Source() {
        @Override
        public View view() {
          return view.apply(client);
        }

        @Override
        public void close() {
          client.close();
        }
      };
    }
  }

  /** Connects to the grid. */
  abstract Source connect(ClusterConnection to);

  /** Returns the name of the grid's cluster. */
  final String cluster() {
    return connection.cluster;
  }

  /** Returns whether the view is repeated. */
  final boolean isWatching() {
    return watch;
  }

  @Override
  public final Integer call() throws InterruptedException {
    if (watch) {
      watch();
    } else {
      try (Source source = connect(connection)) {
        print(source);
      }
    }
    return Main.OK;
  }

  private void print(Source source) {
    View view = source.view();
    if (json) {
      System.out.println(view.json);
    } else if (watch) {
      System.out.println((Boolean.getBoolean(TERMINAL) ? CLEAR : "") + view.table);
    } else {
      System.out.print(view.table);
    }
    System.out.flush();
  }

  /**
   * Prints every second. After a signal the client disconnects, so that it does not count as lost.
   */
  private void watch() throws InterruptedException {
    try (EndSignal signal = new EndSignal();
        Source source = connect(connection)) {
      do {
        print(source);
      } while (!signal.await(PERIOD_SECONDS));
    } catch (GridException | HazelcastClientNotActiveException e) {
      throw new FailedException("the connection to " + cluster() + " was lost: " + e, e);
    }
  }
}
