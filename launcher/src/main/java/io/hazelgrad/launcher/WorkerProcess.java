package io.hazelgrad.launcher;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** The process of one worker, as seen by the JVM that started it. Threads: safe. */
public final class WorkerProcess {
  private static final int KEPT_LINES = 200;
  private static final int SHOWN_LINES = 20;
  private static final long KILL_SECONDS = 10;
  private static final long LEAVE_SECONDS = 20;
  private static final Pattern SPACES = Pattern.compile("\\s+");
  private static final int FIRST_WITH_NEWER_FLAGS = 24;

  private final String name;
  private final Process process;
  final Endpoint endpoint;
  private final Endpoint clientEndpoint;
  private final boolean verbose;
  private final CountDownLatch joined = new CountDownLatch(1);
  private final List<Thread> readers = new ArrayList<>();
  private final Deque<String> output = new ArrayDeque<>();
  private volatile boolean ending;
  private volatile boolean killed;
  private volatile boolean paused;

  /** Starts the process. */
  WorkerProcess(
      String name,
      List<String> command,
      Endpoint endpoint,
      Endpoint clientEndpoint,
      boolean verbose)
      throws IOException {
    this.name = name;
    this.endpoint = endpoint;
    this.clientEndpoint = clientEndpoint;
    this.verbose = verbose;
    this.process = new ProcessBuilder(command).start();
    read(process.getInputStream(), "out");
    read(process.getErrorStream(), "err");
  }

  /** Returns the start of the command line: this JVM's java, flags and class path. */
  public static List<String> java(Path home) {
    List<String> command = new ArrayList<>(javaWithFlags(home));
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC"));
    command.addAll(FastStart.options());
    return command;
  }

  /** Returns this JVM's java, and the flags that all processes have. */
  static List<String> javaWithFlags(Path home) {
    String executable = System.getProperty("os.name").startsWith("Windows") ? "java.exe" : "java";
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", executable).toString());
    String flags = System.getProperty("hazelgrad.jvm.flags", "");
    // The build names the files themselves, by a path that may contain a space.
    if (flags.isBlank() || flags.startsWith("@")) {
      command.add("@" + home.resolve("jvm.flags"));
      if (Runtime.version().feature() >= FIRST_WITH_NEWER_FLAGS) {
        command.add("@" + home.resolve("jvm24.flags"));
      }
    } else {
      SPACES.splitAsStream(flags.strip()).forEach(command::add);
    }
    command.add("-Dhazelgrad.home=" + home);
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    return command;
  }

  private void read(InputStream stream, String which) {
    Thread reader = new Thread(() -> readLines(stream), "worker-" + name + "-" + which);
    reader.setDaemon(true);
    readers.add(reader);
    reader.start();
  }

  private void readLines(InputStream stream) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (output) {
          output.addLast(line);
          if (output.size() > KEPT_LINES) {
            output.removeFirst();
          }
        }
        if (verbose) {
          System.err.println("[" + name + "] " + line);
        }
        if (line.startsWith("worker " + name + " joined ")) {
          joined.countDown();
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  /** Adds a listener for an end of the process that nobody here asked for. */
  void onExit(Consumer<LocalCluster.Exit> listener) {
    var unused =
        process
            .onExit()
            .thenAccept(
                ended -> {
                  if (!ending) {
                    listener.accept(new LocalCluster.Exit(name, ended.exitValue(), output()));
                  }
                });
  }

  void awaitJoined(long deadlineNanos) {
    try {
      while (!joined.await(50, TimeUnit.MILLISECONDS)) {
        if (!process.isAlive()) {
          awaitReaders();
          throw new FailedException(ended());
        }
        if (System.nanoTime() > deadlineNanos) {
          throw new FailedException("worker " + name + " did not join in time" + tail());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while worker " + name + " was starting", e);
    }
  }

  private String ended() {
    return "worker " + name + " ended with code " + process.exitValue() + tail();
  }

  private void awaitReaders() throws InterruptedException {
    for (Thread reader : readers) {
      reader.join(TimeUnit.SECONDS.toMillis(1));
    }
  }

  private String tail() {
    List<String> lines = output();
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return last.isEmpty() ? "; it wrote nothing" : "; its last output:\n" + String.join("\n", last);
  }

  boolean foundPortInUse() {
    return !process.isAlive()
        && process.exitValue() == Main.BAD_INPUT
        && output().stream().anyMatch(line -> line.contains("is in use"));
  }

  /** Returns the endpoint for clients, as {@code host:port}. */
  public String clientEndpoint() {
    return clientEndpoint.toString();
  }

  /** Returns the last lines of the worker's output. */
  public List<String> output() {
    synchronized (output) {
      return List.copyOf(output);
    }
  }

  /** Returns whether the process exists; a paused one does. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the process. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /**
   * Returns the exit code and the last lines of a process that has ended though no method of this
   * class stopped or killed it; else the empty string. Does not wait for an end.
   */
  public String unaskedEnd() {
    return ending || killed || !await(System.nanoTime()) ? "" : ended();
  }

  boolean isPaused() {
    return paused;
  }

  /** Pauses the worker (SIGSTOP): its connections stay open, but no thread of it runs. */
  public void pause() {
    signal("STOP");
    ProcessFreeze.await(process.pid());
    paused = true;
  }

  /** Resumes the paused worker (SIGCONT). */
  public void resume() {
    signal("CONT");
    paused = false;
  }

  private void signal(String signal) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (kill.waitFor() != 0) {
        throw new FailedException("cannot send SIG" + signal + " to worker " + name);
      }
    } catch (IOException e) {
      throw new FailedException("cannot send SIG" + signal + " to worker " + name + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while signalling worker " + name, e);
    }
  }

  /** Kills the worker (SIGKILL) and waits for the end of its process. */
  public void kill() {
    killed = true;
    process.destroyForcibly();
    await(System.nanoTime() + TimeUnit.SECONDS.toNanos(KILL_SECONDS));
  }

  /** Stops the worker as SIGTERM does, with a hand-over of its data, and kills it after 20 s. */
  public void stop() {
    ending = true;
    try (OutputStream in = process.getOutputStream()) {
      in.write((MemberShutdown.LEAVE + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The process has ended already.
    }
    endBy(System.nanoTime() + TimeUnit.SECONDS.toNanos(LEAVE_SECONDS));
  }

  /** Closes the process's standard input. The worker ends then without a hand-over. */
  void askToEnd() {
    ending = true;
    if (paused) {
      process.destroyForcibly();
    }
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The process has ended already.
    }
  }

  /** Waits for the end of the process and kills it after the deadline. */
  void endBy(long deadlineNanos) {
    if (!await(deadlineNanos)) {
      kill();
    }
  }

  /** Waits for the end; returns whether it came in time. An interrupt does not end the wait. */
  boolean await(long deadlineNanos) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return false;
          }
          awaitReaders();
          return true;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
