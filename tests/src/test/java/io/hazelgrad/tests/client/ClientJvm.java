package io.hazelgrad.tests.client;

import com.hazelcast.client.config.ClientConfig;
import io.hazelgrad.autograd.Context;
import io.hazelgrad.autograd.Variable;
import io.hazelgrad.client.GridClient;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Rpc;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.launcher.FastStart;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Thin client in a JVM of its own that takes commands from the test: each line has a number, a
 * command and its arguments. The answer is a line with the number and the result.
 */
final class ClientJvm implements AutoCloseable {
  private static final ClientReferences HELD = new ClientReferences();

  private final Process process;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
  private final Thread reader;

  ClientJvm(String cluster, String endpoint) throws IOException {
    this(cluster, endpoint, FastStart.options());
  }

  /** Starts one with its class path among its JVM options. */
  ClientJvm(String cluster, String endpoint, List<String> jvmOptions) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.addAll(jvmOptions);
    command.addAll(List.of(ClientJvm.class.getName(), cluster, endpoint));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    reader = new Thread(this::read, "client-jvm");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        CompletableFuture<String> answer =
            answers.remove(Integer.valueOf(line.substring(0, space)));
        answer.complete(line.substring(space + 1));
      }
    } catch (IOException e) {
      // The process was killed.
    }
  }

  /** Sends a command to the client. */
  CompletableFuture<String> ask(String command) {
    int number = numbers.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    answers.put(number, answer);
    try {
      process
          .getOutputStream()
          .write((number + " " + command + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return answer;
  }

  /** Sends a command to the client, and returns its answer. */
  String tell(String command) throws Exception {
    return ask(command).get(60, TimeUnit.SECONDS);
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void signal(String signal) throws IOException, InterruptedException {
    String[] kill = {"kill", "-" + signal, Long.toString(process.pid())};
    if (new ProcessBuilder(kill).start().waitFor() != 0) {
      throw new IOException("cannot send SIG" + signal);
    }
  }

  @Override
  public void close() throws Exception {
    kill();
    reader.join();
  }

  public static void main(String[] arguments) throws IOException {
    ClientConfig config = new ClientConfig();
    config.setClusterName(arguments[0]);
    config.getNetworkConfig().addAddress(arguments[1]);
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.client.heartbeat.interval", "1000");
    try (GridClient client = GridClient.connect(config);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        var unused =
            called(client, words)
                .whenComplete(
                    (value, failure) ->
                        System.out.println(
                            words[0] + " " + (failure == null ? value : status(failure))));
      }
    }
  }

  /**
   * Runs a command like {@link #run}; an exception that it throws at once becomes a failed future.
   */
  private static CompletableFuture<String> called(GridClient client, String[] words) {
    try {
      return run(client, words);
    } catch (GridException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<String> run(GridClient client, String[] words) {
    Rpc rpc = client.rpc();
    return switch (words[1]) {
      case "self" ->
          CompletableFuture.completedFuture(client.self().id() + " " + client.self().incarnation());
      case "hold" ->
          rpc.async(words[2], CountedFunctions::hold, words[3]).thenApply(String::valueOf);
      case "twice" -> twice(rpc, words[2], Integer.parseInt(words[3]));
      case "nd4j" -> CompletableFuture.completedFuture(NativeLibraries.describe());
      case "use-nd4j" -> CompletableFuture.completedFuture(NativeLibraries.use());
      case "compute" -> CompletableFuture.completedFuture(NativeLibraries.compute(words[2]));
      case "runs" ->
          rpc.async(words[2], CountedFunctions::runs, words[3]).thenApply(String::valueOf);
      case "record" -> record(client, words[2], words[3]);
      default -> HELD.run(client, words);
    };
  }

  /** Opens a context that stays open, and calls two workers in it. */
  private static CompletableFuture<String> record(GridClient client, String first, String second) {
    Context context = client.autograd().open();
    Variable x = Variable.parameter(Tensor.of(new double[] {1, 2, 3, 4}, 4));
    Variable y = client.rpc().sync(first, DifferentiableFunctions::times, x);
    Variable z = client.rpc().sync(second, DifferentiableFunctions::times, y);
    return CompletableFuture.completedFuture(
        context.plan(z.sum()).waves() == 4 ? "recorded" : "not recorded");
  }

  /** Sends a tensor of ones, as arrays, and checks the result. */
  private static CompletableFuture<String> twice(Rpc rpc, String worker, int size) {
    float[] ones = new float[size];
    Arrays.fill(ones, 1);
    return rpc.async(worker, CountedFunctions::twice, Tensor.of(ones, size))
        .thenApply(
            tensor -> {
              float[] elements = tensor.toFloats();
              long twos = IntStream.range(0, size).filter(i -> elements[i] == 2).count();
              return twos + " of " + elements.length;
            });
  }

  private static String status(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return cause instanceof GridException known ? known.status().name() : cause.toString();
  }
}
