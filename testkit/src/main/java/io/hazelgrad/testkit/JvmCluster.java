package io.hazelgrad.testkit;

import io.hazelgrad.grid.Device;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.Worker;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.rref.RRefs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A grid of real JVMs, told as a story. The test's own JVM is a worker of it too, named {@value
 * #DRIVER} if the test gives it no other name.
 *
 * <pre>{@code
 * try (JvmCluster cluster = JvmCluster.workers("A", "B").start()) {
 *   cluster.grid().rpc().sync("A", Counter::new);
 *   cluster.kill("B");
 *   cluster.awaitWorkers("A");
 * }
 * }</pre>
 *
 * <p>What the workers shall call must be on the class path of the tests, and allowed.
 */
public final class JvmCluster implements AutoCloseable {
  /** The name of the worker that the test's own JVM is, if the test gives it no other. */
  public static final String DRIVER = "driver";

  /** How long any step of the story may take. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration PEACE = Duration.ofMinutes(2);
  private static final Duration ONE_CALL = Duration.ofSeconds(10);

  private static final Set<JvmCluster> OPEN = ConcurrentHashMap.newKeySet();
  private static final List<LocalCluster> STOPPED = new CopyOnWriteArrayList<>();

  private final List<String> beginning;
  private final LocalCluster processes;
  private final @Nullable CutNetwork network;
  private final Grid grid;

  private JvmCluster(
      List<String> beginning, LocalCluster processes, @Nullable CutNetwork network, Grid grid) {
    this.beginning = beginning;
    this.processes = processes;
    this.network = network;
    this.grid = grid;
  }

  /** Begins with workers of these names. */
  public static Builder workers(String... names) {
    return new Builder(List.of(names));
  }

  /** Returns the seat of the test's own JVM. */
  public Grid grid() {
    return grid;
  }

  /** Returns the remote references of the test's own JVM. */
  public RRefs rrefs() {
    return RRefs.on(grid);
  }

  /** Returns the workers' processes. */
  public LocalCluster processes() {
    return processes;
  }

  /** Kills a worker (SIGKILL). The others have not noticed yet when this returns. */
  public void kill(String worker) {
    processes.kill(worker);
  }

  /** Freezes a worker (SIGSTOP). */
  public void freeze(String worker) {
    processes.pause(worker);
  }

  /** Lets a frozen worker go on. */
  public void thaw(String worker) {
    processes.resume(worker);
  }

  /**
   * Cuts the network between two workers: both stay as they are, but nothing that one says reaches
   * the other. Needs {@link Builder#cuttable()}; this JVM can be cut off too.
   */
  public void cut(String one, String other) {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /** Stops what one worker says to another; the other's words still reach it. */
  public void cutOneWay(String from, String to) {
    network().cutOneWay(from, to);
  }

  /** Cuts all connections between workers of one list and workers of the other. */
  public void split(List<String> one, List<String> other) {
    one.forEach(left -> other.forEach(right -> cut(left, right)));
  }

  /** Ends all cuts. The workers have not found each other yet when this returns. */
  public void heal() {
    network().heal();
  }

  private CutNetwork network() {
    if (network == null) {
      throw new IllegalStateException("only a cluster made with cuttable() can be cut");
    }
    return network;
  }

  /** Lets a worker leave orderly, and waits for its end. */
  public void stop(String worker) {
    processes.stop(worker);
  }

  /** Starts a worker anew, or one more. */
  public void start(String worker) {
    processes.startWorker(worker);
    awaitPresent(worker);
  }

  /** Starts those workers of the beginning anew that have ended. */
  public void startMissing() {
    for (String worker : beginning) {
      if (!processes.isAlive(worker)) {
        start(worker);
      }
    }
  }

  /** Waits until exactly these workers, and this JVM, are in the grid. */
  public void awaitWorkers(String... names) {
    Set<String> expected = new TreeSet<>(Arrays.asList(names));
    expected.add(driver());
    Await.until(
        PATIENCE,
        () -> {
          Set<String> found = names();
          return found.equals(expected) ? "" : "workers " + expected + " instead of " + found;
        });
  }

  /** Waits until exactly these workers, and this JVM, have agreed that they are the grid now. */
  public void awaitAgreement(String... names) {
    awaitWorkers(names);
    Await.until(
        "workers " + names() + " have agreed that they are all",
        PATIENCE,
        () -> names().stream().allMatch(this::seesAll));
  }

  /** Waits until exactly the workers of the beginning, and this JVM, reach each other. */
  public void awaitPeace() {
    Set<String> all = new TreeSet<>(beginning);
    all.add(driver());
    Await.until(PEACE, () -> estranged(all));
  }

  private String estranged(Set<String> all) {
    try {
      Set<String> found = names();
      if (!found.equals(all)) {
        return "workers " + all + " instead of " + found;
      }
      for (String from : all) {
        for (String to : all) {
          grid.rpc().within(ONE_CALL).sync(from, WorkerProbe::objectsOf, to);
        }
      }
      return "";
    } catch (GridException e) {
      return "all reach all: " + e.getMessage();
    }
  }

  /** One that has just come back may have to come once more; until then it is not there. */
  private boolean seesAll(String worker) {
    try {
      return grid.rpc().sync(worker, WorkerProbe::missing) == 0;
    } catch (GridException e) {
      if (e.status() == Status.WORKER_LOST || e.status() == Status.UNKNOWN_WORKER) {
        return false;
      }
      throw e;
    }
  }

  /** Returns the name of the worker that the test's own JVM is. */
  String driver() {
    return grid.worker().name();
  }

  private void awaitPresent(String worker) {
    Await.until("worker " + worker + " is in the grid", PATIENCE, () -> names().contains(worker));
  }

  private Set<String> names() {
    return grid.workers().stream().map(Worker::name).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns how many objects a worker owns. */
  public int objectsOn(String worker) {
    return grid.rpc().sync(worker, WorkerProbe::objects);
  }

  /** Ends all workers, and this JVM's own one, without a hand-over. */
  @Override
  public void close() {
    OPEN.remove(this);
    try {
      grid.hazelcast().getLifecycleService().terminate();
      grid.close();
    } finally {
      processes.close();
      STOPPED.add(processes);
      if (network != null) {
        network.close();
      }
    }
  }

  /** Returns what references, objects and calls the grid still has, a line each. */
  List<String> leftovers() {
    List<String> found = new ArrayList<>();
    String here = WorkerProbe.leftovers(grid);
    if (!here.isEmpty()) {
      found.add(driver() + " has " + here);
    }
    int live = rrefs().liveCount();
    if (live > 0) {
      found.add(live + " RRefs are in the registry");
    }
    for (Worker worker : grid.workers()) {
      if (!worker.equals(grid.worker())) {
        String there =
            grid.rpc().within(Duration.ofSeconds(5)).sync(worker.name(), WorkerProbe::leftovers);
        if (!there.isEmpty()) {
          found.add(worker.name() + " has " + there);
        }
      }
    }
    return found;
  }

  static List<JvmCluster> open() {
    return List.copyOf(OPEN);
  }

  static List<LocalCluster> stopped() {
    return List.copyOf(STOPPED);
  }

  /** Nothing is left of these. */
  static void forget(List<LocalCluster> stopped) {
    STOPPED.removeAll(stopped);
  }

  /** Says how the cluster shall be, and starts it. */
  public static final class Builder {
    private Device[] devices = {};
    private LocalCluster.Spec spec;
    private Class<?>[] functions = {};
    private String driver = DRIVER;
    private boolean cuttable;

    private Builder(List<String> workers) {
      spec = LocalCluster.Spec.of(workers);
      jvmOptions();
    }

    /** Lets the methods of these classes be called on all workers, besides annotated ones. */
    public Builder functions(Class<?>... classes) {
      functions = classes.clone();
      spec = spec.withFunctions(Arrays.stream(classes).map(Class::getName).toList());
      return this;
    }

    /**
     * Starts the workers' JVMs with these options, after the usual ones, and after the one that
     * lets them compile quickly rather than well: most live for seconds, in which half of the time
     * would go into the compiler. A long run takes that back with {@code -XX:TieredStopAtLevel=4}.
     */
    public Builder jvmOptions(String... options) {
      List<String> all = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1"));
      all.addAll(List.of(options));
      spec = spec.withJvmOptions(all);
      return this;
    }

    /** Declares devices of every worker, the test's own JVM too, beside the CPU. */
    public Builder devices(Device... declared) {
      devices = declared.clone();
      return this;
    }

    /** Names the worker that the test's own JVM is. */
    public Builder joinedBy(String name) {
      driver = name;
      return this;
    }

    /** Puts a network between the workers that {@link JvmCluster#cut} can cut. */
    public Builder cuttable() {
      cuttable = true;
      return this;
    }

    /** Shows the workers' log. */
    public Builder verbose() {
      spec = spec.withVerbose(true);
      return this;
    }

    /** Starts the workers, joins as one more, and waits until all see all. */
    public JvmCluster start() {
      if (devices.length > 0) {
        List<String> options = new ArrayList<>(spec.jvmOptions());
        options.add(
            "-Dhazelgrad.devices="
                + Arrays.stream(devices).map(Device::toString).collect(Collectors.joining(",")));
        spec = spec.withJvmOptions(options);
      }
      if (!cuttable) {
        return start(null);
      }
      CutNetwork network = new CutNetwork();
      spec = spec.withNetwork(network);
      try {
        return start(network);
      } catch (Throwable e) {
        network.close();
        throw e;
      }
    }

    private JvmCluster start(@Nullable CutNetwork network) {
      LocalCluster processes = LocalCluster.start(spec);
      try {
        Grid grid =
            Grid.join(processes.joiner(driver).functions(functions).devices(devices).build());
        processes.joinedHere();
        JvmCluster cluster = new JvmCluster(spec.workers(), processes, network, grid);
        OPEN.add(cluster);
        cluster.awaitWorkers(spec.workers().toArray(String[]::new));
        return cluster;
      } catch (Throwable e) {
        processes.close();
        throw e;
      }
    }
  }
}
