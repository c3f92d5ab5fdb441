package io.hazelgrad.bench;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.cli.LocalClients;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * A JVM with thin clients. It reads commands line by line and replies to each with one line. It
 * ends with this JVM.
 */
final class ClientProcess implements AutoCloseable {
  /** The thread pools of a client, which have one thread each here. */
  private static final List<String> THREADS = List.of("io.input", "io.output", "event", "response");

  private final Process process;
  private final BufferedReader answers;

  private ClientProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts a JVM without clients. */
  static ClientProcess start(Grid grid) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                "-cp",
                System.getProperty("java.class.path"),
                ClientProcess.class.getName(),
                grid.hazelcast().getConfig().getClusterName()));
    command.addAll(LocalClients.endpoints(grid));
    try {
      return new ClientProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a JVM for clients", e);
    }
  }

  /** Connects further clients and returns the bytes that the process uses then. */
  long connect(int clients) {
    return ask("connect " + clients)[0];
  }

  /** Makes each client call a worker, one call after another; returns calls and errors. */
  long[] call(String worker, int seconds) {
    return ask("call " + worker + " " + seconds);
  }

  /** Makes the first client create and hold references to objects of a worker. */
  void hold(String worker, int references) {
    ask("hold " + worker + " " + references);
  }

  private long[] ask(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
      String answer = answers.readLine();
      if (answer == null) {
        throw new IllegalStateException("the process of clients ended at: " + line);
      }
      return Stream.of(answer.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    } catch (IOException e) {
      throw new UncheckedIOException("the process of clients ended at: " + line, e);
    }
  }

  /** Kills the process (SIGKILL) and waits for its end. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }

  /** Runs in the process of the clients. */
  public static void main(String[] arguments) {
    String cluster = arguments[0];
    List<String> endpoints = List.of(arguments).subList(1, arguments.length);
    List<GridClient> clients = new ArrayList<>();
    Scanner commands = new Scanner(System.in, StandardCharsets.UTF_8);
    while (commands.hasNext()) {
      String command = commands.next();
      System.out.println(
          switch (command) {
            case "connect" -> connected(clients, cluster, endpoints, commands.nextInt());
            case "call" -> called(clients, commands.next(), commands.nextInt());
            case "hold" -> held(clients.get(0), commands.next(), commands.nextInt());
            default -> throw new IllegalArgumentException(command);
          });
    }
    System.exit(0); // The threads of clients would keep the process alive.
  }

  private static long connected(
      List<GridClient> clients, String cluster, List<String> endpoints, int more) {
    for (int i = 0; i < more; i++) {
      ClientConfig config = LocalClients.config(cluster, endpoints);
      THREADS.forEach(
          kind -> config.setProperty("hazelcast.client." + kind + ".thread.count", "1"));
      clients.add(GridClient.connect(config));
    }
    return MemoryUsage.used();
  }

  private static String called(List<GridClient> clients, String worker, int seconds) {
    LongAdder calls = new LongAdder();
    LongAdder errors = new LongAdder();
    Function<?> noop = Function.action(BenchFunctions::noop);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    ExecutorService threads = Executors.newFixedThreadPool(clients.size());
    try {
      List<CompletableFuture<?>> running = new ArrayList<>();
      for (GridClient client : clients) {
        Runnable calling =
            () -> {
              while (System.nanoTime() < end) {
                try {
                  client.rpc().sync(worker, noop);
                  calls.increment();
                } catch (GridException e) {
                  errors.increment();
                }
              }
            };
        running.add(CompletableFuture.runAsync(calling, threads));
      }
      running.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
    return calls.sum() + " " + errors.sum();
  }

  private static int held(GridClient client, String worker, int references) {
    List<CompletableFuture<?>> made = new ArrayList<>();
    for (int i = 0; i < references; i++) {
      made.add(client.rrefs().remote(worker, BenchFunctions::small).keep().creation());
    }
    made.forEach(CompletableFuture::join);
    return made.size();
  }
}
