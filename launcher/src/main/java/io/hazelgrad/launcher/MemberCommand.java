package io.hazelgrad.launcher;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.instance.EndpointQualifier;
import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one worker until it is asked to leave. */
@Command(
    name = MemberCommand.NAME,
    description = "Join the grid as a worker, until SIGTERM or SIGINT.",
    mixinStandardHelpOptions = true)
public final class MemberCommand implements Callable<Integer> {
  public static final String NAME = "member";

  private static final int DRAIN_SECONDS = 10;

  @Option(names = "--name", required = true, paramLabel = "NAME", description = "Its name.")
  private String name;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The grid's configuration; hazelcast.yaml of the checkout or distribution if not given.")
  private @Nullable Path file;

  @Option(names = "--cluster", paramLabel = "NAME", description = "The cluster's name.")
  private @Nullable String cluster;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "The address of this machine to listen on.")
  private @Nullable String host;

  @Option(
      names = "--port",
      paramLabel = "P",
      description = "The port for members, this one only; else the first free one of the file's.")
  private @Nullable Integer port;

  @Option(
      names = "--client-port",
      paramLabel = "P",
      description = "The port for clients, this one only; else the first free one of the file's.")
  private @Nullable Integer clientPort;

  @Option(
      names = "--announce",
      paramLabel = "HOST:PORT",
      converter = Endpoint.Converter.class,
      description =
          "Where other members reach this one, if that is not where it listens: a proxy, a router.")
  private @Nullable Endpoint announced;

  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      converter = Endpoint.Converter.class,
      description =
          "Members of the cluster to ask. If it is one, this worker waits until it is there; if"
              + " none of several is there, it begins the cluster.")
  private List<Endpoint> join = new ArrayList<>();

  @Option(
      names = "--functions",
      split = ",",
      paramLabel = "CLASS",
      description = "Classes whose methods may be called, besides the annotated ones.")
  private List<String> functions = new ArrayList<>();

  @Option(
      names = "--devices",
      split = ",",
      paramLabel = "DEVICE",
      defaultValue = "${sys:hazelgrad.devices}",
      description =
          "Devices that it has beside the CPU, such as sim:0; the system property"
              + " hazelgrad.devices if not given.")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = "--client-grace",
      paramLabel = "SECONDS",
      defaultValue = "${sys:hazelgrad.client-grace}",
      description =
          "How long a client may be without any connection before it counts as lost; the system"
              + " property hazelgrad.client-grace if not given, else 10.")
  private @Nullable Integer clientGrace;

  @Option(
      names = "--drain",
      paramLabel = "SECONDS",
      defaultValue = "${sys:hazelgrad.drain}",
      description =
          "How long the first SIGTERM or SIGINT waits for calls that are under way, 0 for not at"
              + " all; the system property hazelgrad.drain if not given, else 10. A second signal"
              + " ends the process at once.")
  private @Nullable Integer drain;

  @Mixin private HttpOptions http;

  @Option(
      names = "--exit-with-parent",
      description = "Leave when the standard input ends, so when the parent process dies.")
  private boolean exitWithParent;

  /** For picocli, which fills in the rest. */
  @SuppressWarnings("NullAway.Init")
  MemberCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    HazelgradConfig.Builder builder =
        HazelgradConfig.named(name)
            .functions(classes())
            .devices(devices())
            .hazelcast(configuration());
    if (clientGrace != null) {
      builder.clientGrace(Duration.ofSeconds(clientGrace));
    }
    http.addTo(builder);
    MemberShutdown departure = departure();
    if (exitWithParent) {
      departure.watchParent();
    }
    CountDownLatch stopped = new CountDownLatch(1);
    Grid grid = join(builder.build());
    departure.prepare(grid);
    grid.hazelcast()
        .getLifecycleService()
        .addLifecycleListener(
            event -> {
              if (event.getState() == LifecycleState.SHUTDOWN) {
                stopped.countDown();
              }
            });
    System.out.println(joined(grid) + http.places(grid));
    System.out.flush();
    stopped.await();
    if (departure.isBegun()) {
      return Main.OK; // The process is ending already, with the exit code of what ended it.
    }
    throw new FailedException("worker " + name + " ended: its Hazelcast member was shut down");
  }

  private MemberShutdown departure() {
    int seconds = drain == null ? DRAIN_SECONDS : drain;
    if (seconds < 0) {
      throw new BadInputException("--drain must not be negative: " + seconds);
    }
    return new MemberShutdown(Duration.ofSeconds(seconds));
  }

  private Config configuration() {
    requireFree("--port", port);
    requireFree("--client-port", clientPort);
    Config config =
        new MemberSettings(
                file == null ? MemberSettings.defaultFile() : file,
                cluster,
                host,
                port,
                clientPort,
                announced,
                join)
            .load();
    // Our own hook closes the grid first. Two at once would get into each other's way.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    return config;
  }

  private void requireFree(String option, @Nullable Integer wanted) {
    if (wanted == null) {
      return;
    }
    if (wanted < 1 || wanted > Endpoint.MAX_PORT) {
      throw new BadInputException(option + " must be between 1 and 65535: " + wanted);
    }
    new Endpoint(host == null ? "127.0.0.1" : host, wanted).requireFree("--host");
  }

  private Grid join(HazelgradConfig config) {
    try {
      return Grid.join(config);
    } catch (GridException e) {
      // Someone may have taken a port since it was looked at.
      if (e.status() == Status.BAD_CONFIG) {
        requireFree("--port", port);
        requireFree("--client-port", clientPort);
        if (e.getCause() instanceof IllegalStateException && !join.isEmpty()) {
          throw new FailedException("worker " + name + " found no member to join at " + join, e);
        }
      }
      throw e;
    }
  }

  private Class<?>[] classes() {
    List<Class<?>> found = new ArrayList<>();
    for (String type : functions) {
      try {
        found.add(Class.forName(type, false, Thread.currentThread().getContextClassLoader()));
      } catch (ClassNotFoundException | LinkageError e) {
        throw new BadInputException("--functions: class " + type + " is not on the class path", e);
      }
    }
    return found.toArray(Class<?>[]::new);
  }

  private Device[] devices() {
    try {
      return devices.stream().map(Device::parse).toArray(Device[]::new);
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--devices: " + e.getMessage(), e);
    }
  }

  private static String joined(Grid grid) {
    Member member = grid.hazelcast().getCluster().getLocalMember();
    Map<EndpointQualifier, Address> addresses = member.getAddressMap();
    return "worker "
        + grid.worker().name()
        + " joined "
        + grid.hazelcast().getConfig().getClusterName()
        + " at "
        + text(member.getAddress())
        + " (client endpoint "
        + text(addresses.get(EndpointQualifier.CLIENT))
        + ")";
  }

  private static String text(@Nullable Address address) {
    return address == null ? "none" : new Endpoint(address.getHost(), address.getPort()).toString();
  }
}
