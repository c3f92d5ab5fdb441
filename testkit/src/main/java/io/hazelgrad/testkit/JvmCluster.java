package io.hazelgrad.testkit;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.launcher.LocalCluster;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A grid whose workers are processes that a test starts, kills, pauses and cuts off. The test's own
 * JVM is a worker too. Its name is {@value #DRIVER} unless {@link JvmClusterBuilder#joinedBy} gives
 * another.
 *
 * <pre>{@code
 * try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
 *   cluster.grid().rpc().sync("A", Counter::new);
 *   cluster.kill("B");
 *   cluster.awaitWorkers("A");
 * }
 * }</pre>
 */
public final class JvmCluster implements GridCluster {
  /** The time limit of one step, such as the start of a worker. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The failures of a call to a worker that is not in the grid, or from one that is not. */
  private static final Set<Status> NOT_HERE =
      Set.of(Status.WORKER_LOST, Status.UNKNOWN_WORKER, Status.FENCED);

  private static final Duration RECOVERY = Duration.ofMinutes(2);
  private static final Duration ONE_CALL = Duration.ofSeconds(10);

  private final List<String> initial;
  private final LocalCluster processes;
  private final @Nullable TestNetwork network;
  private final Grid grid;
  private final Leftovers.Checked checked;
  private final Set<String> frozen = ConcurrentHashMap.newKeySet();

  JvmCluster(
      List<String> initial, LocalCluster processes, @Nullable TestNetwork network, Grid grid) {
    this.initial = initial;
    this.processes = processes;
    this.network = network;
    this.grid = grid;
    checked =
        new Leftovers.Checked(
            () -> WorkerProbe.leftoversIn(grid),
            () -> Set.of(driver()),
            this::handles,
            processes::ports);
  }

  /** Returns a builder of a cluster with workers of these names. */
  public static JvmClusterBuilder workers(String... names) {
    return new JvmClusterBuilder(List.of(names));
  }

  @Override
  public Grid grid() {
    return grid;
  }

  @Override
  public List<String> workerNames() {
    return processes.workers().stream().filter(it -> processes.worker(it).isAlive()).toList();
  }

  @Override
  public ClientConfig clientConfig() {
    ClientConfig config = new ClientConfig().setClusterName(processes.name());
    workerNames().stream()
        .map(it -> processes.worker(it).clientEndpoint())
        .forEach(config.getNetworkConfig()::addAddress);
    config.setProperty("hazelcast.logging.type", "slf4j");
    return config;
  }

  private List<ProcessHandle> handles() {
    return processes.workers().stream().map(it -> processes.worker(it).handle()).toList();
  }

  /** Returns the workers' processes. */
  public LocalCluster processes() {
    return processes;
  }

  @Override
  public void kill(String worker) {
    frozen.remove(worker);
    processes.worker(worker).kill();
  }

  @Override
  public void freeze(String worker) {
    processes.worker(worker).pause();
    frozen.add(worker);
  }

  @Override
  public void thaw(String worker) {
    if (frozen.remove(worker)) {
      processes.worker(worker).resume();
    }
  }

  @Override
  public void cut(String one, String other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** Cuts the network from one worker to another; the other direction stays open. */
  public void cutOneWay(String from, String to) {
    network().cutOneWay(from, to);
  }

  /** Cuts all connections between workers of one list and workers of the other. */
  public void split(List<String> one, List<String> other) {
    one.forEach(left -> other.forEach(right -> cut(left, right)));
  }

  @Override
  public void heal() {
    network().heal();
  }

  /** Sets the quality of the network in both directions; needs {@link Builder#hosts}. */
  public void link(String one, String other, LinkQuality quality) {
    linkOneWay(one, other, quality);
    linkOneWay(other, one, quality);
  }

  /** Sets the quality of the network from one worker to another; needs {@link Builder#hosts}. */
  public void linkOneWay(String from, String to, LinkQuality quality) {
    hosts().set(from, to, quality);
  }

  /**
   * Loses all packets of the connections with a TCP port once they have carried so many bytes. The
   * connections stay open, and nobody is told. Needs {@link Builder#hosts}.
   */
  public void silence(int tcpPort, long afterBytes) {
    hosts().silence(tcpPort, afterBytes);
  }

  /** Ends all connections of a TCP port by a reset to both sides, until {@link #heal}. */
  public void resetConnections(int tcpPort) {
    hosts().reset(tcpPort);
  }

  /** Returns whether connections of a port have lost packets by {@link #silence}. */
  public boolean isSilent(int tcpPort) {
    return hosts().isSilent(tcpPort);
  }

  private HostNetwork hosts() {
    if (network instanceof HostNetwork hosts) {
      return hosts;
    }
    throw new IllegalStateException(
        "the workers of this cluster are no hosts; build it with hosts()");
  }

  /** Returns why this machine cannot run {@link Builder#hosts}, or the empty string. */
  public static String hostsUnavailable() {
    return HostNetwork.unavailable();
  }

  private TestNetwork network() {
    if (network == null) {
      throw new GridException(
          Status.BAD_ARGUMENT,
          "this cluster has no network that can be cut; build it with cuttable()");
    }
    return network;
  }

  @Override
  public void stop(String worker) {
    frozen.remove(worker);
    processes.worker(worker).stop();
  }

  @Override
  public void start(String worker) {
    processes.startWorker(worker);
    orShowThreads(
        () ->
            Await.until(
                "worker " + worker + " is in the grid",
                PATIENCE,
                () -> WorkerProbe.names(grid).contains(worker)));
  }

  /**
   * {@inheritDoc} Then fails if one of them had ended by itself, for example by a crash of its JVM.
   */
  @Override
  public void startMissing() {
    List<String> missing =
        initial.stream().filter(worker -> !processes.worker(worker).isAlive()).toList();
    String unasked =
        missing.stream()
            .map(worker -> processes.worker(worker).unaskedEnd())
            .filter(end -> !end.isEmpty())
            .collect(Collectors.joining("\n"));
    missing.forEach(this::start);
    if (!unasked.isEmpty()) {
      throw new IllegalStateException("nobody stopped or killed this worker: " + unasked);
    }
  }

  /** Waits until exactly these workers and this JVM are in the grid, and all have agreed on it. */
  public void awaitAgreement(String... names) {
    awaitWorkers(names);
    Set<String> all = new TreeSet<>(Arrays.asList(names));
    all.add(driver());
    orShowThreads(
        () ->
            Await.until(
                "the workers " + all + " agree that they are the grid",
                PATIENCE,
                () -> all.stream().allMatch(this::hasAgreed)));
  }

  @Override
  public void awaitWorkers(String... names) {
    orShowThreads(() -> GridCluster.super.awaitWorkers(names));
  }

  /** Runs a wait, and adds to its failure what the threads of all workers do. */
  public void orShowThreads(Runnable wait) {
    try {
      wait.run();
    } catch (AssertionError | GridException e) {
      workerNames()
          .forEach(name -> ThreadDumps.add(e, name, processes.worker(name).handle().pid()));
      throw e;
    }
  }

  @Override
  public void awaitPeace() {
    awaitPeace(Duration.ZERO);
  }

  /**
   * Waits for peace that lasts. Members may remove one that was silent for some seconds after its
   * silence is over, when all calls have gone well already.
   */
  public void awaitPeace(Duration lasting) {
    Set<String> all = new TreeSet<>(initial);
    all.add(driver());
    long[] since = {System.nanoTime()};
    Supplier<String> missing =
        () -> {
          String unreached = unreached(all);
          if (!unreached.isEmpty()) {
            since[0] = System.nanoTime();
          }
          boolean lasted = System.nanoTime() - since[0] >= lasting.toNanos();
          return lasted ? unreached : "peace for " + lasting.toSeconds() + " s; now: " + unreached;
        };
    orShowThreads(() -> Await.until(RECOVERY.plus(lasting), missing));
  }

  private String unreached(Set<String> all) {
    try {
      String difference = WorkerProbe.difference(grid, all);
      if (difference.isEmpty()) {
        for (String from : all) {
          for (String to : all) {
            grid.rpc().within(ONE_CALL).sync(from, WorkerProbe::objectsOf, to);
          }
        }
      }
      return difference;
    } catch (GridException e) {
      return "a call between two workers fails: " + e.getMessage();
    }
  }

  /** Waits until all workers of the start have agreed; closes this cluster if they do not. */
  JvmCluster agreed() {
    Leftovers.opened(checked);
    try {
      awaitAgreement(initial.toArray(String[]::new));
      return this;
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  private boolean hasAgreed(String worker) {
    try {
      return grid.rpc().sync(worker, WorkerProbe::hasAgreed);
    } catch (GridException e) {
      if (NOT_HERE.contains(e.status())) {
        return false;
      }
      throw e;
    }
  }

  private String driver() {
    return grid.worker().name();
  }

  @Override
  public void close() {
    Leftovers.closed(checked);
    try {
      grid.hazelcast().getLifecycleService().terminate();
      grid.close();
    } finally {
      processes.close();
      if (network != null) {
        network.close();
      }
    }
  }
}
