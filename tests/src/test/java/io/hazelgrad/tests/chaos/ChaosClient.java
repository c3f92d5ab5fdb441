package io.hazelgrad.tests.chaos;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.launcher.FastStart;
import io.hazelgrad.tests.SingleMemberRouting;
import io.hazelgrad.tests.TestDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Thin client with an agent, in a JVM of its own. The JVM ends when its parent does. */
final class ChaosClient implements AutoCloseable {
  private static final long END_SECONDS = 20;
  private static final long CONNECT_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final Set<Status> PASSING =
      EnumSet.of(Status.WORKER_LOST, Status.NO_QUORUM, Status.TIMEOUT);

  private final String name;
  private final Process process;

  private ChaosClient(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts a client.
   *
   * @param single whether it has one connection at a time, to one of the endpoints
   */
  static ChaosClient start(
      String name, String cluster, List<String> endpoints, boolean single, Path history, long seed)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add(
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=" + (ChaosTest.VERBOSE ? "info" : "error"));
    command.add("-D" + HistoryLog.DIRECTORY + "=" + history);
    command.addAll(ChaosTest.LOGS);
    command.addAll(ChaosTest.SCHEDULER);
    command.addAll(FastStart.options());
    command.addAll(List.of(ChaosClient.class.getName(), name, cluster));
    command.addAll(List.of(Boolean.toString(single), Long.toString(seed)));
    command.addAll(endpoints);
    return new ChaosClient(
        name,
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Returns the name of the client's agent. */
  String agent() {
    return Agent.name(name, process.pid());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  void freeze() {
    signal("STOP");
  }

  void thaw() {
    signal("CONT");
  }

  private void signal(String signal) {
    if (!process.isAlive()) {
      throw new IllegalStateException(name + " has ended, with " + process.exitValue());
    }
    try {
      String[] kill = {"kill", "-" + signal, Long.toString(process.pid())};
      if (new ProcessBuilder(kill).start().waitFor() != 0) {
        throw new IllegalStateException("cannot send SIG" + signal + " to " + name);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("cannot send SIG" + signal + " to " + name, e);
    }
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(name + " did not end");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a test", e);
    }
  }

  /** Makes the client close its connection and end. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The process has ended.
    }
    awaitEnd();
  }

  public static void main(String[] arguments) throws IOException {
    // The client may be searching for a grid that is gone, which never ends.
    ProcessHandle.current()
        .parent()
        .ifPresent(
            parent -> {
              var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
            });
    ClientConfig config = new ClientConfig();
    config.setClusterName(arguments[1]);
    if (Boolean.parseBoolean(arguments[2])) {
      SingleMemberRouting.set(config);
    }
    List.of(arguments).subList(4, arguments.length).forEach(config.getNetworkConfig()::addAddress);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.client.heartbeat.interval", "1000");
    config.setProperty("hazelcast.client.heartbeat.timeout", "5000");
    // The client searches for the grid without limit.
    config.getConnectionStrategyConfig().getConnectionRetryConfig().setMaxBackoffMillis(1000);
    try (GridClient client = connect(config, HazelgradConfig.named(arguments[0]).build())) {
      Agent.begin(TestDriver.of(client), Long.parseLong(arguments[3]));
      while (System.in.read() >= 0) {} // Until the parent closes the pipe or ends.
    }
  }

  /** Connects, and tries again after errors that pass, since members join and leave meanwhile. */
  private static GridClient connect(ClientConfig config, HazelgradConfig hazelgrad) {
    long start = System.nanoTime();
    while (true) {
      try {
        return GridClient.connect(config, hazelgrad);
      } catch (GridException e) {
        if (!PASSING.contains(e.status()) || System.nanoTime() - start > CONNECT_NANOS) {
          throw e;
        }
        System.err.println(hazelgrad.name() + " connects again: " + e);
      }
    }
  }
}
