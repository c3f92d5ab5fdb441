package io.hazelgrad.launcher;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subcommand {@code member}: runs one worker until a signal ends it. */
@Command(
    name = MemberCommand.NAME,
    description = "Join the grid as a worker, until SIGTERM or SIGINT.",
    mixinStandardHelpOptions = true)
public final class MemberCommand implements Callable<Integer> {
  public static final String NAME = "member";

  private static final String SQL_SERVICE = "/com/hazelcast/sql/impl/SqlServiceImpl.class";

  @Option(
      names = "--name",
      required = true,
      paramLabel = "NAME",
      description = "The worker's name.")
  private String name;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "The configuration file. Default: hazelcast.yaml of the checkout or distribution.")
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
      description =
          "The port for members. Default: the first free port of the configuration file's.")
  private @Nullable Integer port;

  @Option(
      names = "--client-port",
      paramLabel = "P",
      description =
          "The port for clients. Default: the first free port of the configuration file's.")
  private @Nullable Integer clientPort;

  @Option(
      names = "--announce",
      paramLabel = "HOST:PORT",
      converter = Endpoint.Converter.class,
      description =
          "The endpoint at which other members reach this one, if a proxy or router is between.")
  private @Nullable Endpoint announced;

  @Option(
      names = "--join",
      split = ",",
      paramLabel = "HOST:PORT",
      converter = Endpoint.Converter.class,
      description =
          "Members of the cluster to join by. With one, this worker waits until it answers. With"
              + " several of which none answers, this worker starts the cluster.")
  private List<Endpoint> join = new ArrayList<>();

  @Option(
      names = "--functions",
      split = ",",
      paramLabel = "CLASS",
      description = "Classes whose methods may be called, besides the annotated ones.")
  private List<String> functions = new ArrayList<>();

  @Option(
      names = "--roles",
      split = ",",
      paramLabel = "ROLE",
      description =
          "The worker's roles: it is called by them, and may call the functions that are limited"
              + " to them.")
  private List<String> roles = new ArrayList<>();

  @Option(
      names = "--devices",
      split = ",",
      paramLabel = "DEVICE",
      defaultValue = "${sys:hazelgrad.devices}",
      description =
          "Devices beside the CPU, such as sim:0. Default: the system property"
              + " hazelgrad.devices.")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = "--client-grace",
      paramLabel = "SECONDS",
      defaultValue = "${sys:hazelgrad.client-grace}",
      description =
          "The time without any connection after which a client counts as lost. Default: the"
              + " system property hazelgrad.client-grace, else 10.")
  private @Nullable Integer clientGrace;

  @Option(
      names = "--drain",
      paramLabel = "SECONDS",
      defaultValue = "${sys:hazelgrad.drain:-10}",
      description =
          "The time that the first SIGTERM or SIGINT gives to calls under way; 0 for none."
              + " Default: the system property hazelgrad.drain, else 10. A second signal ends the"
              + " process at once.")
  private int drain;

  @Option(
      names = "--sql",
      description =
          "Let Hazelcast's SQL read the tables of the grid. Every client can then read all maps,"
              + " and all files of this process: see docs/threat-model.md.")
  private boolean sql;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "The file with the grid's secret, the same for all workers and clients. Default: the"
              + " property hazelgrad.secret.file of the configuration file, else no secret.")
  private @Nullable Path secretFile;

  @Mixin private SettingOptions settings;

  @Mixin private HttpOptions http;

  @Option(
      names = "--jmx",
      defaultValue = "${sys:hazelgrad.jmx:-false}",
      description =
          "Publish the counters as JMX beans in the domain io.hazelgrad. Default: the system"
              + " property hazelgrad.jmx, else not.")
  private boolean jmx;

  @Option(
      names = "--exit-with-parent",
      description = "Leave when the standard input ends, as it does when the parent process dies.")
  private boolean exitWithParent;

  /** Creates the command; picocli sets the fields. */
  @SuppressWarnings("NullAway.Init")
  MemberCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    if (drain < 0) {
      throw new BadInputException("--drain must not be negative: " + drain);
    }
    if (sql) {
      requireSql();
    }
    MemberShutdown shutdown = new MemberShutdown(Duration.ofSeconds(drain));
    HazelgradConfig worker = worker(); // Reports bad options also if the parent has ended already.
    if (exitWithParent) {
      shutdown.watchParent();
    }
    OutOfMemoryEnd.prepare(name);
    CountDownLatch stopped = new CountDownLatch(1);
    Grid grid = join(worker);
    shutdown.prepare(grid);
    if (jmx) {
      JmxDomain.publish(grid);
    }
    String page = http.openPage(grid);
    grid.hazelcast()
        .getLifecycleService()
        .addLifecycleListener(
            event -> {
              if (event.getState() == LifecycleState.SHUTDOWN) {
                stopped.countDown();
              }
            });
    System.out.println(joined(grid) + http.places(grid) + page);
    System.out.flush();
    stopped.await();
    if (shutdown.isBegun()) {
      return Main.OK; // The process is ending already, with the exit code of the signal.
    }
    throw new FailedException("worker " + name + " ended: its Hazelcast member was shut down");
  }

  /** The launcher script adds the jar before this JVM starts; another start has to do it itself. */
  private static void requireSql() {
    if (HazelcastInstance.class.getResource(SQL_SERVICE) == null) {
      throw new BadInputException(
          "--sql needs hazelcast-sql on the class path, in the version of Hazelcast;"
              + " ./hazelgrad member --sql puts it there");
    }
  }

  private HazelgradConfig worker() {
    HazelgradConfig.Builder builder =
        HazelgradConfig.named(name)
            .functions(classes())
            .devices(devices())
            .roles(roles.toArray(String[]::new))
            .hazelcast(configuration());
    if (clientGrace != null) {
      builder.clientGrace(Duration.ofSeconds(clientGrace));
    }
    if (secretFile != null) {
      builder.secret(secretFile);
    }
    settings.addTo(builder);
    http.addTo(builder);
    return builder.build();
  }

  private Config configuration() {
    requireFreePorts();
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
    // The hook of MemberShutdown closes the grid; Hazelcast's own hook would run beside it.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    return config;
  }

  private void requireFreePorts() {
    requireFree("--port", port);
    requireFree("--client-port", clientPort);
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

  private Grid join(HazelgradConfig worker) {
    try {
      if (join.isEmpty() && !worker.uniqueNames()) {
        return Grid.join(worker);
      }
      // A grid without quorum may refuse a worker at a new address once before it opens for it.
      return JoinAttempts.join(worker, this::worker);
    } catch (GridException e) {
      // Another process may have taken a port since the check.
      if (e.status() == Status.BAD_CONFIG) {
        requireFreePorts();
        if (JoinAttempts.isStartFailure(e) && !join.isEmpty()) {
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
    return "worker %s joined %s at %s (client endpoint %s)"
        .formatted(
            grid.worker().name(),
            grid.hazelcast().getConfig().getClusterName(),
            text(member.getAddress()),
            text(member.getAddressMap().get(EndpointQualifier.CLIENT)));
  }

  private static String text(@Nullable Address address) {
    return address == null ? "none" : new Endpoint(address.getHost(), address.getPort()).toString();
  }
}
