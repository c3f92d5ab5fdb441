package io.hazelgrad.cli;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.launcher.Endpoint;
import io.hazelgrad.launcher.FailedException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a command that connects to a running grid as a thin client. */
final class ClusterConnection {
  private static final int CONNECT_MILLIS = 5_000;

  @Option(
      names = "--join",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:5701",
      converter = Endpoint.Converter.class,
      description = "A worker's client endpoint (default: ${DEFAULT-VALUE}).")
  private Endpoint endpoint;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "hazelgrad",
      description = "The cluster's name (default: ${DEFAULT-VALUE}).")
  String cluster;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "The file with the grid's secret. Default: the system property hazelgrad.secret.file,"
              + " else no secret.")
  private @Nullable Path secretFile;

  /** Connects; throws {@link FailedException} if no member of the cluster answers within 5 s. */
  GridClient connect() {
    ClientConfig config = config();
    return connected(() -> GridClient.connect(config));
  }

  /** Returns the configuration of a client with these options. */
  ClientConfig config() {
    ClientConfig config = LocalClients.config(cluster, List.of(endpoint.toString()));
    config.setProperty("hazelcast.client.shuffle.member.list", "false");
    config
        .getConnectionStrategyConfig()
        .getConnectionRetryConfig()
        .setClusterConnectTimeoutMillis(CONNECT_MILLIS);
    if (secretFile != null) {
      config.setProperty(HazelgradConfig.SECRET_FILE_PROPERTY, secretFile.toString());
    }
    return config;
  }

  /** Runs the start of a client; throws {@link FailedException} if it does not connect. */
  <C> C connected(Supplier<C> start) {
    try {
      return start.get();
    } catch (GridException | IllegalStateException e) {
      // Hazelcast throws an IllegalStateException if it finds no member; other errors say more.
      if (e instanceof GridException && !(e.getCause() instanceof IllegalStateException)) {
        throw new FailedException(String.valueOf(e.getMessage()), e);
      }
      throw new FailedException("no member of cluster " + cluster + " answers at " + endpoint, e);
    }
  }
}
