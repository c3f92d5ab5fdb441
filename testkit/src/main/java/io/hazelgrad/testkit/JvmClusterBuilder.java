package io.hazelgrad.testkit;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.HazelgradConfig.Engine;
import io.hazelgrad.launcher.JoinAttempts;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRefOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link JvmCluster}, and its start. Not safe for several threads. */
public final class JvmClusterBuilder {
  private final List<String> workers;
  private List<String> jvmOptions = List.of();
  private Device[] devices = {};
  private Class<?>[] functions = {};
  private String driver = JvmCluster.DRIVER;
  private Engine engine = Engine.byProperty();
  private boolean cuttable;
  private boolean hosts;
  private boolean moving;
  private boolean uniqueNames;
  private int durableBackups = RRefOptions.defaults().durableBackups();
  private final Map<String, List<String>> roles = new HashMap<>();
  private int openFiles;
  private boolean verbose;

  JvmClusterBuilder(List<String> workers) {
    this.workers = workers;
  }

  /** Allows the methods of these classes as remote functions, besides annotated ones. */
  public JvmClusterBuilder functions(Class<?>... classes) {
    functions = classes.clone();
    return this;
  }

  /**
   * Sets options of the workers' JVMs, after the usual ones. The usual ones limit the compiler to
   * its first level, because most of these JVMs live for seconds. A long run removes the limit with
   * {@code -XX:TieredStopAtLevel=4}.
   */
  public JvmClusterBuilder jvmOptions(String... options) {
    jvmOptions = List.of(options);
    return this;
  }

  /** Declares devices, beside the CPU, of every worker and of the test's own JVM. */
  public JvmClusterBuilder devices(Device... declared) {
    devices = declared.clone();
    return this;
  }

  /** Sets the name of the test's own JVM as a worker. */
  public JvmClusterBuilder joinedBy(String name) {
    driver = name;
    return this;
  }

  /** Sets what carries the calls of all workers. The default is that of the test's own JVM. */
  public JvmClusterBuilder engine(Engine carrier) {
    engine = carrier;
    return this;
  }

  /** Makes {@link JvmCluster#cut} possible, by a network of proxies between the workers. */
  public JvmClusterBuilder cuttable() {
    cuttable = true;
    return this;
  }

  /**
   * Runs each worker in a network namespace of its own, with its own loopback, address and {@code
   * /dev/shm}, so that workers are as on several machines. All their packets pass a router of this
   * JVM: see {@link JvmCluster#cut} and {@link JvmCluster#link}. A test asks {@link
   * JvmCluster#hostsUnavailable} first.
   */
  public JvmClusterBuilder hosts() {
    hosts = true;
    return this;
  }

  /** Gives a worker that is started again another address, as Kubernetes does. */
  public JvmClusterBuilder moving() {
    moving = true;
    return this;
  }

  /** Promises that no two workers of one name run at once, see {@link HazelgradConfig}. */
  public JvmClusterBuilder uniqueNames() {
    uniqueNames = true;
    return this;
  }

  /** Sets the number of copies of durable objects, see {@link RRefOptions#durableBackups}. */
  public JvmClusterBuilder durableBackups(int count) {
    durableBackups = count;
    return this;
  }

  /** Gives a worker roles. It may be one that is started later. */
  public JvmClusterBuilder roles(String worker, String... names) {
    roles.put(worker, List.of(names));
    return this;
  }

  /** Limits the number of files that each worker can have open, as {@code ulimit -n} does. */
  public JvmClusterBuilder openFiles(int most) {
    openFiles = most;
    return this;
  }

  /** Writes the workers' log to the standard error. */
  public JvmClusterBuilder verbose() {
    verbose = true;
    return this;
  }

  /** Starts the workers, joins them, and waits until all are in the grid. */
  public JvmCluster start() {
    if (!cuttable && !hosts) {
      return start(null);
    }
    TestNetwork network = hosts ? hostNetwork() : new CutNetwork();
    try {
      return start(network);
    } catch (Throwable e) {
      network.close();
      throw e;
    }
  }

  private TestNetwork hostNetwork() {
    try {
      return HostNetwork.around(driver, moving);
    } catch (IOException e) {
      throw new UncheckedIOException("the network of the hosts cannot be made: " + e, e);
    }
  }

  private Function<String, List<String>> memberOptions() {
    List<String> settings =
        List.of("--set=uniqueNames=" + uniqueNames, "--set=durableBackups=" + durableBackups);
    Map<String, List<String>> all = Map.copyOf(roles);
    return worker -> {
      List<String> options = new ArrayList<>(settings);
      if (all.containsKey(worker)) {
        options.add("--roles=" + String.join(",", all.get(worker)));
      }
      return options;
    };
  }

  private JvmCluster start(@Nullable TestNetwork network) {
    Path unused = KitHome.prepare();
    List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1"));
    options.add("-D" + HazelgradConfig.ENGINE_PROPERTY + "=" + engine);
    options.addAll(jvmOptions);
    if (devices.length > 0) {
      options.add(
          "-Dhazelgrad.devices="
              + Arrays.stream(devices).map(Device::toString).collect(Collectors.joining(",")));
    }
    List<String> classes = Arrays.stream(functions).map(Class::getName).toList();
    LocalCluster.Network between = network == null ? new PlainNetwork(!moving, openFiles) : network;
    LocalCluster processes =
        LocalCluster.start(
            LocalCluster.Spec.of(workers, classes, between)
                .withJvmOptions(options)
                .withMemberOptions(memberOptions())
                .withVerbose(verbose));
    try {
      Grid grid =
          JoinAttempts.join(
              () ->
                  processes
                      .joiner(driver)
                      .functions(functions)
                      .devices(devices)
                      .engine(engine)
                      .uniqueNames(uniqueNames)
                      .options(RRefOptions.defaults().withDurableBackups(durableBackups))
                      .build());
      processes.joinedHere();
      return new JvmCluster(workers, processes, network, grid).agreed();
    } catch (Throwable e) {
      processes.close();
      throw e;
    }
  }
}
