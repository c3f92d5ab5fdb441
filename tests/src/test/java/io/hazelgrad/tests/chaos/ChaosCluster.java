package io.hazelgrad.tests.chaos;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.launcher.LocalCluster;
import io.hazelgrad.launcher.WorkerProcess;
import io.hazelgrad.testkit.Await;
import io.hazelgrad.testkit.JvmCluster;
import io.hazelgrad.testkit.JvmClusterBuilder;
import io.hazelgrad.tests.TestDriver;
import io.hazelgrad.tests.client.CuttableProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * All processes of the test: the workers A to D, the test's own worker, sometimes a worker E, and
 * the clients p and q. Each has an agent. q has one connection at a time, which the test can cut. p
 * has a connection to each worker.
 */
final class ChaosCluster implements AutoCloseable {
  static final List<String> WORKERS = List.of("A", "B", "C", "D");
  static final List<String> CLIENTS = List.of("p", "q");

  /** The port of the streams of tensors, if the workers are hosts. */
  static final int STREAM_PORT = 7001;

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration SHORT = Duration.ofMinutes(2);
  private static final int START_ATTEMPTS = 3;

  private final JvmCluster cluster;
  private final Random seeds;
  private final Path history;
  private final CuttableProxy way;
  private final Map<String, ChaosClient> clients = new HashMap<>();

  /**
   * Starts everything.
   *
   * @param hosts whether the workers are hosts of their own
   * @param history the directory of the processes' histories
   */
  ChaosCluster(long seed, boolean hosts, Path history) throws IOException {
    seeds = new Random(seed);
    this.history = history;
    HistoryLog.into(history);
    List<String> options = new ArrayList<>(List.of("-Dhazelgrad.client-grace=4"));
    if (ChaosTest.LENGTH.compareTo(SHORT) > 0) {
      options.add("-XX:TieredStopAtLevel=4");
    }
    options.add("-D" + HistoryLog.DIRECTORY + "=" + history);
    options.add("-Dhazelgrad.plane.port=" + (hosts ? STREAM_PORT : 0));
    options.addAll(ChaosTest.LOGS);
    options.addAll(ChaosTest.SCHEDULER);
    JvmClusterBuilder builder =
        JvmCluster.workers(WORKERS.toArray(String[]::new))
            .jvmOptions(options.toArray(String[]::new));
    builder = hosts ? builder.hosts() : builder.cuttable();
    cluster = (ChaosTest.VERBOSE ? builder.verbose() : builder).start();
    Random choice = new Random(seeds.nextLong());
    way = new CuttableProxy(() -> endpoints().get(choice.nextInt(endpoints().size())));
    Agent.begin(TestDriver.of(cluster.grid()), seeds.nextLong());
    CLIENTS.forEach(this::startClient);
  }

  JvmCluster cluster() {
    return cluster;
  }

  private LocalCluster processes() {
    return cluster.processes();
  }

  /** Returns the addresses for clients of all workers that are alive. */
  private List<String> endpoints() {
    return WORKERS.stream()
        .map(processes()::worker)
        .filter(WorkerProcess::isAlive)
        .map(WorkerProcess::clientEndpoint)
        .toList();
  }

  /**
   * Starts a worker. The member through which it joins may die meanwhile; then it tries again.
   *
   * @param story takes a line for each failed attempt
   */
  void startWorker(String worker, Consumer<String> story) {
    for (int attempt = 1; ; attempt++) {
      try {
        processes().startWorker(worker);
        return;
      } catch (RuntimeException e) {
        story.accept(worker + " did not start: " + e.getMessage());
        if (attempt == START_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /** Waits until a worker answers and has an agent. */
  void awaitBack(String worker) {
    try {
      cluster.orShowThreads(() -> Await.until(PATIENCE, () -> startAgent(worker)));
    } catch (AssertionError e) {
      throw new AssertionError(
          worker + " wrote last:\n" + String.join("\n", processes().worker(worker).output()), e);
    }
  }

  private String startAgent(String worker) {
    try {
      cluster
          .grid()
          .rpc()
          .within(Duration.ofSeconds(5))
          .sync(worker, Function.action(Agent::start), seed());
      return "";
    } catch (GridException e) {
      return worker + " is in the grid: " + e.getMessage();
    }
  }

  private synchronized long seed() {
    return seeds.nextLong();
  }

  synchronized ChaosClient client(String name) {
    return clients.get(name);
  }

  synchronized void startClient(String name) {
    boolean single = name.equals("q");
    try {
      clients.put(
          name,
          ChaosClient.start(
              name,
              processes().name(),
              single ? List.of(way.endpoint()) : endpoints(),
              single,
              history,
              seeds.nextLong()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void cutClient() {
    try {
      way.block();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void healClient() {
    way.heal();
  }

  /** Returns the names of the agents in all processes that are alive. */
  synchronized List<String> agents() {
    List<String> agents = new ArrayList<>();
    agents.add(Agent.name(JvmCluster.DRIVER, ProcessHandle.current().pid()));
    for (String worker : WORKERS) {
      agents.add(Agent.name(worker, processes().worker(worker).handle().pid()));
    }
    clients.values().stream()
        .filter(ChaosClient::isAlive)
        .forEach(client -> agents.add(client.agent()));
    return agents;
  }

  synchronized void closeClients() {
    clients.values().forEach(ChaosClient::close);
    clients.clear();
  }

  @Override
  public void close() throws Exception {
    synchronized (this) {
      clients.values().forEach(ChaosClient::kill);
    }
    try (way) {
      cluster.close();
    }
  }
}
