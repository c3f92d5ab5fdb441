package io.hazelgrad.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Adds what the threads of a worker process do to a failure, by the JDK's {@code jcmd}. */
final class ThreadDumps {
  private static final long LIMIT_SECONDS = 10;

  private ThreadDumps() {}

  /**
   * Adds the threads of a process to a failure, as a suppressed exception.
   *
   * @param pid a process that runs; one that is frozen is given up after 10 s
   */
  static void add(Throwable failure, String worker, long pid) {
    String threads;
    try {
      threads = of(pid);
    } catch (IOException | RuntimeException e) {
      threads = "not known: " + e;
    }
    failure.addSuppressed(new Threads("threads of worker %s: %s".formatted(worker, threads)));
  }

  private static String of(long pid) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid), "Thread.print", "-l")
            .redirectErrorStream(true)
            .start();
    try {
      return CompletableFuture.supplyAsync(() -> read(process))
          .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
          .join();
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "not known: " + e;
    }
  }

  /** A text that is shown with a failure. It has no stack trace of its own. */
  private static final class Threads extends Exception {
    private static final long serialVersionUID = 1;

    Threads(String message) {
      super(message, null, false, false);
    }
  }
}
