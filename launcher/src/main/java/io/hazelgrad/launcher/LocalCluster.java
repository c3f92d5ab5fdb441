package io.hazelgrad.launcher;

import com.hazelcast.config.Config;
import io.hazelgrad.grid.HazelgradConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of worker processes on this machine, which this JVM starts and stops. The workers
 * listen on free ports of loopback addresses. The cluster has a name of its own, so several
 * clusters can run at once. The workers end when this JVM ends, also if it is killed. Threads:
 * safe.
 */
public final class LocalCluster implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int ATTEMPTS = 3;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /**
   * The time between the starts of two processes. Hazelcast's oldest member lets one in at a time,
   * and whoever asks at that moment asks again after 1 s.
   */
  private static final Duration APART = Duration.ofMillis(100);

  private final Spec spec;
  private final String name;
  private final Path file;
  private final Map<String, WorkerProcess> workers = new LinkedHashMap<>();
  private final Set<Integer> ports = new HashSet<>();

  /** The endpoint of this JVM's own worker. Guarded by this, like {@link #joinedHere}. */
  private @Nullable Endpoint joiner;

  private boolean joinedHere;
  private final List<Consumer<Exit>> exitListeners = new CopyOnWriteArrayList<>();
  private final Thread hook = new Thread(this::stopAll, "local-cluster-stop");

  /**
   * The settings of a cluster.
   *
   * @param functions names of classes whose methods may be called, besides the annotated ones
   * @param jvmOptions options for the workers' JVMs, after the usual ones
   * @param memberOptions the further options of {@code hazelgrad member} for each worker, such as
   *     {@code --set=maxRunning=4}
   * @param startTimeout the time in which all workers must have joined
   * @param verbose whether the workers' log goes to the standard error
   */
  public record Spec(
      List<String> workers,
      List<String> functions,
      List<String> jvmOptions,
      Function<String, List<String>> memberOptions,
      Duration startTimeout,
      boolean verbose,
      Network network) {
    /** Copies the lists. */
    public Spec {
      workers = List.copyOf(workers);
      functions = List.copyOf(functions);
      jvmOptions = List.copyOf(jvmOptions);
    }

    /** Returns the default settings for workers of these names. */
    public static Spec of(List<String> workers) {
      return of(workers, List.of(), Network.DIRECT);
    }

    /** Returns the settings for workers with further classes of functions, and a network. */
    public static Spec of(List<String> workers, List<String> functions, Network network) {
      return new Spec(
          workers,
          functions,
          List.of(),
          worker -> List.of(),
          Duration.ofSeconds(90),
          false,
          network);
    }

    /** Returns a copy with these JVM options, which come after the usual ones. */
    public Spec withJvmOptions(List<String> options) {
      return new Spec(workers, functions, options, memberOptions, startTimeout, verbose, network);
    }

    /** Returns a copy with each worker's options of {@code hazelgrad member}, beside the usual. */
    public Spec withMemberOptions(Function<String, List<String>> options) {
      return new Spec(workers, functions, jvmOptions, options, startTimeout, verbose, network);
    }

    /** Returns a copy with this time limit for the start. */
    public Spec withStartTimeout(Duration timeout) {
      return new Spec(workers, functions, jvmOptions, memberOptions, timeout, verbose, network);
    }

    /** Returns a copy with or without the workers' log on the standard error. */
    public Spec withVerbose(boolean show) {
      return new Spec(workers, functions, jvmOptions, memberOptions, startTimeout, show, network);
    }
  }

  /** The addresses by which the members of a cluster reach each other. Threads: safe. */
  public interface Network {
    /** The loopback interface, without proxies. */
    Network DIRECT = (worker, address) -> address;

    /** Returns the address of this machine that a worker listens on and connects from. */
    default String host(String worker) {
      return LOOPBACK;
    }

    /** Returns whether a worker that is started again has the same port. */
    default boolean keepsPorts() {
      return this == DIRECT;
    }

    /** Returns the command that runs a worker's command at its place in the network. */
    default List<String> command(String worker, List<String> command) throws IOException {
      return command;
    }

    /** Returns the address at which others reach a worker that will listen at {@code address}. */
    InetSocketAddress announced(String worker, InetSocketAddress address);
  }

  /** A worker that ended by itself or was killed, with its exit code and last lines of output. */
  public record Exit(String worker, int code, List<String> output) {}

  private LocalCluster(Spec spec) {
    this.spec = spec;
    this.file = MemberSettings.checked(MemberSettings.defaultFile());
    this.name = "hazelgrad-" + UUID.randomUUID();
  }

  /**
   * Starts the workers and waits until all have joined.
   *
   * @throws FailedException if a worker does not join, with its last output; none is left then
   * @throws BadInputException if a name is wrong or the configuration file is missing
   */
  public static LocalCluster start(Spec spec) {
    spec.workers().forEach(HazelgradConfig::named); // Checks the names.
    if (new HashSet<>(spec.workers()).size() < spec.workers().size()) {
      throw new BadInputException(
          "each worker needs a name of its own, but the names are " + spec.workers());
    }
    LocalCluster cluster = new LocalCluster(spec);
    Runtime.getRuntime().addShutdownHook(cluster.hook);
    try {
      cluster.launch(spec.workers());
      return cluster;
    } catch (Throwable e) {
      cluster.close();
      throw e;
    }
  }

  /**
   * Starts one more worker, or restarts one that has ended, at its address unless the network has
   * proxies. Throws as {@link #start}.
   */
  public void startWorker(String worker) {
    launch(List.of(worker));
  }

  /** Returns the cluster's name. */
  public String name() {
    return name;
  }

  /** Returns the names of all workers that were started, those that have ended included. */
  public synchronized List<String> workers() {
    return List.copyOf(workers.keySet());
  }

  /** Returns the ports that workers were given. */
  public synchronized Set<Integer> ports() {
    return Set.copyOf(ports);
  }

  /** Returns the process of a worker that was started, also after its end. */
  public synchronized WorkerProcess worker(String worker) {
    WorkerProcess found = workers.get(worker);
    if (found == null) {
      throw new IllegalArgumentException(
          "no worker " + worker + " was started here, only " + workers.keySet());
    }
    return found;
  }

  /** Returns a configuration with which this JVM can join as a further worker. */
  public synchronized HazelgradConfig.Builder joiner(String worker) {
    Endpoint own = new Endpoint(spec.network().host(worker), Endpoint.freePort(ports));
    Endpoint announced = announced(worker, own);
    MemberSettings settings =
        new MemberSettings(
            file, name, own.host(), own.port(), Endpoint.freePort(ports), announced, seed());
    if (!joinedHere) { // The first one stays the seed: later ones may leave.
      joiner = announced;
    }
    Config config = settings.load();
    // Its graceful leave would wait for workers that our own hook is ending.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    return HazelgradConfig.named(worker).hazelcast(config);
  }

  /** Makes this JVM's own worker, which has joined with {@link #joiner}, the seed of later ones. */
  public synchronized void joinedHere() {
    joinedHere = true;
  }

  /** Adds a listener for workers that end before this cluster is closed. */
  public void onExit(Consumer<Exit> listener) {
    exitListeners.add(listener);
  }

  /** Ends all workers and kills those that do not end within 5 s. A second call does nothing. */
  @Override
  public void close() {
    stopAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook ends the workers too.
    }
  }

  /** Asks all workers to end, without a hand-over; {@link #close} waits for them. */
  public void askToEnd() {
    all().forEach(WorkerProcess::askToEnd);
  }

  private synchronized List<WorkerProcess> all() {
    return List.copyOf(workers.values());
  }

  private void stopAll() {
    askToEnd();
    long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    all().forEach(worker -> worker.endBy(deadline));
  }

  private void launch(List<String> names) {
    FastStart.prepare(); // Not a part of the time that workers have to join.
    long deadline = System.nanoTime() + spec.startTimeout().toNanos();
    for (int attempt = 1; ; attempt++) {
      List<WorkerProcess> started = new ArrayList<>();
      try {
        startProcesses(names, started);
        for (WorkerProcess worker : started) {
          worker.awaitJoined(deadline);
        }
        return;
      } catch (FailedException e) {
        started.forEach(WorkerProcess::kill);
        // Another process may have taken a port between the check and the worker's start.
        if (attempt == ATTEMPTS || started.stream().noneMatch(WorkerProcess::foundPortInUse)) {
          throw e;
        }
      }
    }
  }

  private void startProcesses(List<String> names, List<WorkerProcess> started) {
    for (String worker : names) {
      if (!started.isEmpty()) {
        started.get(started.size() - 1).await(System.nanoTime() + APART.toNanos());
      }
      started.add(startProcess(worker));
    }
  }

  /**
   * Starts a process. It joins by the first living worker: Hazelcast takes 5 s to elect a first
   * member among several that search for each other.
   */
  private synchronized WorkerProcess startProcess(String worker) {
    WorkerProcess old = workers.get(worker);
    if (old != null && old.isAlive()) {
      throw new BadInputException("worker " + worker + " is running already");
    }
    Endpoint own =
        old != null && !old.foundPortInUse() && spec.network().keepsPorts()
            ? old.endpoint
            : new Endpoint(spec.network().host(worker), Endpoint.freePort(ports));
    Endpoint clients = new Endpoint(own.host(), Endpoint.freePort(ports));
    Endpoint announced = announced(worker, own);
    try {
      WorkerProcess process =
          new WorkerProcess(
              worker,
              spec.network().command(worker, command(worker, own, announced, clients)),
              announced,
              clients,
              spec.verbose());
      process.onExit(exit -> exitListeners.forEach(listener -> listener.accept(exit)));
      workers.put(worker, process);
      return process;
    } catch (IOException e) {
      throw new FailedException("cannot start worker " + worker + ": " + e, e);
    }
  }

  private List<String> command(String worker, Endpoint own, Endpoint announced, Endpoint clients) {
    List<String> command = new ArrayList<>(WorkerProcess.java(MemberSettings.home()));
    command.add("-Dhazelgrad.drain=0"); // Tests and demos do not wait for calls that are under way.
    command.addAll(spec.jvmOptions());
    command.addAll(
        List.of(
            Main.class.getName(),
            "member",
            "--exit-with-parent",
            "--name=" + worker,
            "--config=" + file,
            "--cluster=" + name,
            "--host=" + own.host(),
            "--port=" + own.port(),
            "--client-port=" + clients.port(),
            "--announce=" + announced));
    command.addAll(spec.memberOptions().apply(worker));
    seed().forEach(member -> command.add("--join=" + member));
    if (!spec.functions().isEmpty()) {
      command.add("--functions=" + String.join(",", spec.functions()));
    }
    return command;
  }

  private Endpoint announced(String worker, Endpoint own) {
    InetSocketAddress announced =
        spec.network().announced(worker, new InetSocketAddress(own.host(), own.port()));
    return new Endpoint(announced.getHostString(), announced.getPort());
  }

  /** Returns the member endpoint of one live worker, or an empty list if there is none. */
  private synchronized List<Endpoint> seed() {
    if (joinedHere && joiner != null) {
      return List.of(joiner);
    }
    return workers.values().stream()
        .filter(worker -> worker.isAlive() && !worker.isPaused())
        .map(worker -> worker.endpoint)
        .limit(1)
        .toList();
  }
}
