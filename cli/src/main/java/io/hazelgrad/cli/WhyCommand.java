package io.hazelgrad.cli;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.cli.status.WhyReport;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.waits.Waits;
import io.hazelgrad.launcher.BadInputException;
import io.hazelgrad.launcher.FailedException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The subcommand {@code why}: says why a grid is slow or stuck. Its client does not enter the grid
 * and has a connection to one member only, so a stopped worker does not stop it.
 */
@Command(
    name = "why",
    description = {
      "Say why a grid is slow or stuck: workers that do not answer, deadlocks, collectives and"
          + " barriers that a worker has not reached, the slowest worker of a training, and long"
          + " calls with what they wait for.",
      "Join a worker that is not stopped."
    },
    mixinStandardHelpOptions = true)
final class WhyCommand extends ViewCommand {
  private static final double MILLIS = 1e3;

  @Option(
      names = "--longer-than",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "Tell what has lasted for so long (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Override
  Source connect(ClusterConnection to) {
    if (!(seconds >= 0)) { // Also for NaN.
      throw new BadInputException("--longer-than must not be negative: " + seconds);
    }
    ClientConfig config = ClientConnection.prepare(to.config());
    connectToOneMember(config);
    HazelcastInstance client = to.connected(() -> HazelcastClient.newHazelcastClient(config));
    Waits waits = Waits.over(client, config);
    Duration atLeast = Duration.ofMillis(Math.round(seconds * MILLIS));
    return new Source() {
      @Override
      public View view() {
        try {
          WhyReport report = new WhyReport(waits.look(atLeast), atLeast);
          return new View(report.json(), report.text());
        } catch (GridException e) {
          throw new FailedException(String.valueOf(e.getMessage()), e);
        }
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  @SuppressWarnings({"deprecation", "removal"}) // The new way has another package in 5.5.
  private static void connectToOneMember(ClientConfig config) {
    config.getNetworkConfig().setSmartRouting(false);
  }
}
